use std::io::Write;

use proptest::prelude::*;

use super::super::test_files::{encode, npy, npy_with_header};
use super::*;

/// Three samples of two features.
const TABLE: [f64; 6] = [1.0, 2.0, 3.0, 40.0, 50.0, 60.0];

fn read_bytes<T: Scalar>(bytes: &[u8]) -> Result<Matrix<T>, Fault> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    read(file, bytes.len() as u64, None, false).map(|x| x.into_dense().unwrap())
}

fn expected<T: Scalar>() -> Matrix<T> {
    Matrix::from_vec(2, 3, TABLE.iter().map(|&v| T::from_f64(v)).collect()).unwrap()
}

fn transposed() -> Vec<f64> {
    vec![1.0, 3.0, 50.0, 2.0, 40.0, 60.0]
}

#[test]
fn every_type_byte_order_memory_order_and_version_gives_the_same_matrix() {
    for kind in ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"] {
        for (sign, big) in [("<", false), (">", true)] {
            for (fortran, values) in [(false, TABLE.to_vec()), (true, transposed())] {
                for version in 1..=3 {
                    let data = encode(kind, big, &values);
                    let file = npy(version, &format!("{sign}{kind}"), fortran, "(3, 2)", &data);
                    assert_eq!(read_bytes::<f64>(&file).unwrap(), expected(), "{sign}{kind}");
                    assert_eq!(read_bytes::<f32>(&file).unwrap(), expected(), "{sign}{kind}");
                }
            }
        }
    }
}

#[test]
fn truth_values_become_zero_and_one() {
    let file = npy(1, "|b1", false, "(1, 3)", &[1, 0, 1]);
    assert_eq!(read_bytes::<f32>(&file).unwrap().as_slice(), [1.0, 0.0, 1.0]);
}

#[test]
fn half_precision_is_exact_from_the_smallest_to_the_largest_number() {
    let bits = [0x3c00u16, 0xc000, 0x3555, 0x0001, 0x7bff, 0x8000];
    let data: Vec<u8> = bits.iter().flat_map(|b| b.to_le_bytes()).collect();
    let file = npy(1, "<f2", false, "(2, 3)", &data);
    let third = f64::from(0x555) / f64::from(0x1000); // what NumPy says 0x3555 is
    let values = [1.0, -2.0, third, 2f64.powi(-24), 65504.0, -0.0];
    assert_eq!(read_bytes::<f64>(&file).unwrap().as_slice(), values);
    for bits in [0x7c00u16, 0xfc00, 0x7e00] {
        let file = npy(1, "<f2", false, "(1, 1)", &bits.to_le_bytes());
        assert!(matches!(read_bytes::<f64>(&file), Err(Fault::NotFinite { .. })));
    }
}

#[test]
fn a_table_larger_than_one_chunk_is_read_whole() {
    let values: Vec<f64> = (0..3000 * 7).map(|i| f64::from(i % 251)).collect();
    let file = npy(1, ">u2", false, "(3000, 7)", &encode("u2", true, &values));
    assert_eq!(read_bytes::<f64>(&file).unwrap().as_slice(), values);
}

#[test]
fn the_header_may_be_written_in_any_way_python_allows() {
    let data = encode("f8", false, &TABLE);
    for header in [
        "{\"shape\":(3L,2L),\"descr\":\"<f8\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 3 , 2 , ) , 'descr' : '<f8' , }   ",
    ] {
        assert_eq!(read_bytes(&npy_with_header(1, header, &data)).unwrap(), expected::<f64>());
    }
}

#[test]
fn a_bad_number_is_named_by_row_and_column_in_either_memory_order() {
    for (fortran, at) in [(false, 5), (true, 5)] {
        for (kind, native) in [("<f8", true), (">f8", false)] {
            let mut values = TABLE;
            values[at] = f64::NAN;
            let data = encode("f8", !native, &values);
            let file = npy(1, kind, fortran, "(2, 3)", &data);
            let Err(Fault::NotFinite { sample, feature, .. }) = read_bytes::<f64>(&file) else {
                panic!("it was read");
            };
            assert_eq!((sample, feature), (2, 3));
        }
    }
    // Second in memory: the second feature of a row, or the second sample of a column.
    for (fortran, place) in [(false, (1, 2)), (true, (2, 1))] {
        let values = [0.0, f64::INFINITY, 0.0, 0.0, 0.0, 0.0];
        let file = npy(1, "<f8", fortran, "(2, 3)", &encode("f8", false, &values));
        let Err(Fault::NotFinite { sample, feature, .. }) = read_bytes::<f64>(&file) else {
            panic!("it was read");
        };
        assert_eq!((sample, feature), place);
    }
}

#[test]
fn sizes_beyond_the_file_or_beyond_any_computer_are_refused_without_taking_memory() {
    let huge = format!("({0}, {0})", usize::MAX);
    let wraps = format!("({}, 8)", 1u64 << 61);
    for shape in ["(100000000, 100000000)", "(3, 3)", "(2, 2)", &huge, &wraps] {
        let file = npy(1, "<f8", false, shape, &encode("f8", false, &TABLE));
        assert!(matches!(read_bytes::<f64>(&file), Err(Fault::Damaged { .. })), "{shape}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_bytes::<f32>(&bytes);
        let _ = read_bytes::<f32>(&npy_with_header(1, &String::from_utf8_lossy(&bytes), &bytes));
    }

    #[test]
    fn no_change_to_a_valid_file_makes_it_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut file = npy(1, "<u2", true, "(3, 2)", &encode("u2", false, &transposed()));
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if cut {
            file.truncate(end.index(file.len()));
        }
        if let Ok(x) = read_bytes::<f64>(&file) {
            prop_assert!(x.as_slice().iter().all(|v| v.is_finite()));
        }
    }
}
