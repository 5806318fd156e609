//! Turns the raw numbers of a binary file, whatever their type and byte order, into a matrix.

use std::io::{self, Read};

use deepnmf::{Dtype, Matrix, MatrixView, Scalar};

use crate::error::Fault;

/// The type of the numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Kind {
    /// Bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Endian {
    /// This machine's.
    pub(super) const NATIVE: Self =
        if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    /// A whole number of four bytes.
    pub(super) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }
}

/// How a file's numbers are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Encoding {
    pub(super) kind: Kind,
    pub(super) endian: Endian,
}

impl Encoding {
    /// Whether the bytes in the file are those that a `T` has in memory.
    fn is_native<T: Scalar>(self) -> bool {
        let kind = match T::DTYPE {
            Dtype::F32 => Kind::F32,
            Dtype::F64 => Kind::F64,
        };
        self.kind == kind && self.endian == Endian::NATIVE
    }
}

/// Whether a file holds its table row by row or column by column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Sample after sample (C): the very order of a column-major `p x n` matrix.
    Rows,
    /// Feature after feature (Fortran, MATLAB).
    Columns,
}

/// A table in a file: its rows are samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) samples: usize,
    pub(super) features: usize,
    pub(super) order: Order,
}

impl Table {
    /// How many numbers there are, if a computer can hold as many bytes.
    pub(super) fn count(&self) -> Option<usize> {
        let count = self.samples.checked_mul(self.features)?;
        count.checked_mul(size_of::<f64>())?;
        Some(count)
    }

    /// Fails if the table is empty, or too large for any computer.
    pub(super) fn check(&self) -> Result<usize, Fault> {
        if self.samples == 0 || self.features == 0 {
            let (samples, features) = (self.samples, self.features);
            return Err(Fault::EmptyTable { samples, features });
        }
        self.count().ok_or(Fault::Memory { bytes: u64::MAX })
    }

    /// Whether it takes more memory than so many bytes.
    pub(super) fn exceeds<T: Scalar>(&self, most: Option<u64>) -> bool {
        let bytes = self.count().map(|count| (count as u64).saturating_mul(size_of::<T>() as u64));
        most.is_some_and(|most| bytes.is_none_or(|bytes| bytes > most))
    }

    /// Reads the numbers into a `p x n` matrix.
    ///
    /// `present` says whether the file is known to be long enough, so that memory for all of it may
    /// be taken at once, and `missing` whether NaN stands for what is missing.
    pub(super) fn read<T: Scalar>(
        &self,
        bytes: &mut (impl Read + ?Sized),
        encoding: Encoding,
        present: bool,
        missing: bool,
    ) -> Result<Matrix<T>, Fault> {
        let count = self.check()?;
        let refuse = |index, value: f64| {
            (!missing || !value.is_nan()).then(|| self.refuse::<T>(index, value))
        };
        let data = read_numbers(bytes, encoding, count, present, refuse)?;
        // Behind one that is missing there may be another one that is infinite.
        let infinite = |v: &T| !v.finite() && !v.to_f64().is_nan();
        if let Some(at) = data.iter().position(|v| missing && infinite(v)) {
            return Err(self.refuse::<T>(at, data[at].to_f64()));
        }
        self.into_matrix(data)
    }

    /// The numbers, in the order of the file, as a `p x n` matrix.
    pub(super) fn into_matrix<T: Scalar>(self, data: Vec<T>) -> Result<Matrix<T>, Fault> {
        let (p, n) = (self.features, self.samples);
        let matrix = match self.order {
            Order::Rows => Matrix::from_vec(p, n, data),
            Order::Columns => MatrixView::strided(&data, p, n, n, 1).map(MatrixView::to_matrix),
        };
        matrix.map_err(|error| Fault::damaged(error.to_string()))
    }

    /// The fault of a number that is not finite as a `T`.
    fn refuse<T: Scalar>(&self, index: usize, value: f64) -> Fault {
        let (sample, feature) = match self.order {
            Order::Rows => (index / self.features, index % self.features),
            Order::Columns => (index % self.samples, index / self.samples),
        };
        not_finite::<T>(sample + 1, feature + 1, None, value)
    }
}

/// The fault of `value` that is not finite as a `T`, although it may be as `f64`.
pub(crate) fn not_finite<T: Scalar>(
    sample: usize,
    feature: usize,
    name: Option<String>,
    value: f64,
) -> Fault {
    if value.is_finite() {
        Fault::TooLarge { sample, feature, name, value, dtype: T::DTYPE }
    } else {
        Fault::NotFinite { sample, feature, name, value }
    }
}

/// Reads `count` numbers. `refuse` gets the index and value of the first that is not finite as a
/// `T`, and may let it pass.
pub(super) fn read_numbers<T: Scalar>(
    bytes: &mut (impl Read + ?Sized),
    encoding: Encoding,
    count: usize,
    present: bool,
    refuse: impl Fn(usize, f64) -> Option<Fault>,
) -> Result<Vec<T>, Fault> {
    const FEW: usize = 2048;
    let mut data = Vec::new();
    while data.len() < count {
        // Memory for numbers that may not be there is taken as they come.
        let start = data.len();
        let numbers = if present { count } else { FEW.min(count - start) };
        reserve(&mut data, numbers)?;
        data.resize(start + numbers, T::ZERO);
        if let Some((index, value)) = fill(bytes, encoding, &mut data[start..])?
            && let Some(fault) = refuse(start + index, value)
        {
            return Err(fault);
        }
    }
    Ok(data)
}

/// Asks for memory in a way that can be refused.
fn reserve<T>(data: &mut Vec<T>, more: usize) -> Result<(), Fault> {
    data.try_reserve(more).map_err(|_| {
        let bytes = (data.len() as u64).saturating_add(more as u64);
        Fault::Memory { bytes: bytes.saturating_mul(size_of::<T>() as u64) }
    })
}

/// The first number that is not finite. Many are looked at together, which is several times as fast as one by one.
fn first_not_finite<T: Scalar>(numbers: &[T]) -> Option<usize> {
    const MANY: usize = 1024;
    let sound = |some: &[T]| some.iter().fold(true, |sound, v| sound & v.finite());
    let (at, some) = numbers.chunks(MANY).enumerate().find(|(_, some)| !sound(some))?;
    some.iter().position(|v| !v.finite()).map(|index| at * MANY + index)
}

/// Numbers that are read at a time.
const PIECE: usize = 1 << 16;

/// Reads as many numbers as `out` has places; returns index and value of the first that is not finite as a `T`.
pub(super) fn fill<T: Scalar>(
    bytes: &mut (impl Read + ?Sized),
    encoding: Encoding,
    out: &mut [T],
) -> Result<Option<(usize, f64)>, Fault> {
    if encoding.is_native::<T>() {
        let mut bad = None;
        for (piece, out) in out.chunks_mut(PIECE).enumerate() {
            bytes.read_exact(bytemuck::cast_slice_mut(out))?;
            // While they are in the cache.
            let index = if bad.is_none() { first_not_finite(out) } else { None };
            bad = bad.or(index.map(|index| (piece * PIECE + index, out[index].to_f64())));
        }
        return Ok(bad);
    }
    let mut bad = None;
    // A multiple of every size, so that no number is cut in two.
    let mut chunk = [0; 16 * 1024];
    let mut done = 0;
    while done < out.len() {
        let numbers = (out.len() - done).min(chunk.len() / encoding.kind.size());
        let chunk = &mut chunk[..numbers * encoding.kind.size()];
        bytes.read_exact(chunk)?;
        decode(chunk, encoding, |value| {
            let number = T::from_f64(value);
            if !number.finite() && bad.is_none() {
                bad = Some((done, value));
            }
            out[done] = number;
            done += 1;
        });
    }
    Ok(bad)
}

/// Gives every number in `chunk` to `put`.
fn decode(chunk: &[u8], Encoding { kind, endian }: Encoding, mut put: impl FnMut(f64)) {
    macro_rules! each {
        ($type:ty, $value:expr) => {{
            let (numbers, _) = chunk.as_chunks::<{ size_of::<$type>() }>();
            let number = match endian {
                Endian::Little => <$type>::from_le_bytes,
                Endian::Big => <$type>::from_be_bytes,
            };
            for &raw in numbers {
                put($value(number(raw)));
            }
        }};
    }
    match kind {
        Kind::Bool => each!(u8, |v: u8| f64::from(u8::from(v != 0))),
        Kind::I8 => each!(i8, f64::from),
        Kind::U8 => each!(u8, f64::from),
        Kind::I16 => each!(i16, f64::from),
        Kind::U16 => each!(u16, f64::from),
        Kind::I32 => each!(i32, f64::from),
        Kind::U32 => each!(u32, f64::from),
        Kind::I64 => each!(i64, |v: i64| v as f64),
        Kind::U64 => each!(u64, |v: u64| v as f64),
        Kind::F16 => each!(u16, half),
        Kind::F32 => each!(f32, f64::from),
        Kind::F64 => each!(f64, |v: f64| v),
    }
}

/// A 16-bit floating-point number: 1 bit for the sign, 5 for the exponent, 10 for the fraction.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    sign * match (exponent, fraction) {
        (0x1f, 0.0) => f64::INFINITY,
        (0x1f, _) => f64::NAN,
        (0, _) => fraction * 2f64.powi(-14),
        _ => (1.0 + fraction) * 2f64.powi(exponent - 15),
    }
}

/// Says of bytes in memory what [`io::ErrorKind::UnexpectedEof`] means there.
pub(super) fn cut_short(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Fault::damaged("some of it is missing"),
        _ => Fault::damaged(error.to_string()),
    }
}
