"""Writes the seeds, except for those that the fuzzer has found (`found-*`) and the sound models,
which `deepnmf fit` wrote.

Names say what is to be expected: `lie-*` claim more than they hold, `bomb-*` stand for far more
than their size accounts for, `wrong-*` hold what is no table; these are refused. All others can be
read. Needs numpy, scipy, h5py, pyarrow and Pillow:  python make.py
"""

import gzip
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse
from PIL import Image

HERE = Path(__file__).parent
FIXTURES = HERE.parent.parent / "crates/deepnmf-data/tests/fixtures"
TABLE = np.arange(6.0).reshape(3, 2)
KIND = np.array([1, 2, 1], np.uint8)


def put(path: str, content: bytes) -> None:
    file = HERE / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npy_saying(descr: str, shape: str, data: bytes = b"", version: int = 1) -> bytes:
    """An array with any header."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def npy_seeds() -> None:
    for kind in ["<f8", "<f4", "<f2", ">f8", ">i2", "|b1", "<u8", "|i1"]:
        put(f"npy/{kind.strip('<>|')}{'-big' if kind[0] == '>' else ''}", npy(TABLE.astype(kind)))
    put("npy/columns", npy(np.asfortranarray(TABLE)))
    put("npy/version-2", npy_saying("'<f8'", "(3, 2)", TABLE.tobytes(), 2))
    put("npy/version-3", npy_saying("'<f8'", "(3L, 2L)", TABLE.tobytes(), 3))
    put("npy/lie-overflow", npy_saying("'<f8'", f"({2**63}, {2**63})"))
    put("npy/lie-product", npy_saying("'<f8'", f"({2**32}, {2**32})"))
    put("npy/lie-terabyte", npy_saying("'|u1'", f"({2**20}, {2**20})", bytes(64)))
    put("npy/lie-header", b"\x93NUMPY\x02\0\xff\xff\xff\xff{")
    put("npy/lie-short", npy(TABLE)[:-9])
    put("npy/wrong-records", npy(np.zeros(3, [("a", "<f8"), ("b", "<i4")])))
    put("npy/wrong-complex", npy(TABLE.astype("<c16")))
    put("npy/wrong-cube", npy(np.zeros((2, 2, 2))))
    put("npy/wrong-empty", npy(np.zeros((0, 2))))
    put("npy/wrong-nan", npy(np.array([[np.nan, np.inf]])))
    put("npy/wrong-objects", npy_saying("'|O'", "(3, 2)", bytes(48)))


def archive(packed: bool, **arrays: bytes) -> bytes:
    file = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method, compresslevel=9) as made:
        for name, content in arrays.items():
            info = zipfile.ZipInfo(name + ".npy")  # with a date that does not change
            made.writestr(info, content, method)
    return file.getvalue()


def npz_seeds() -> None:
    arrays = {"X": npy(TABLE), "kind": npy(KIND)}
    put("npz/stored", archive(False, **arrays))
    put("npz/packed", archive(True, **arrays))
    put("npz/words", archive(True, X=npy(TABLE), kind=npy(np.array(["b", "a", ""]))))
    put("npz/bytes", archive(True, data=npy(TABLE), kind=npy(np.array([b"b", b"a", b""]))))
    zeros = npy(np.zeros((1000, 1000), np.uint8))
    put("npz/zeros", archive(True, X=zeros))
    put("npz/other-zeros", archive(True, X=npy(TABLE), kind=zeros))
    claim = npy_saying("'<f8'", "(100000, 100000)")
    put("npz/bomb-terabytes", archive(True, X=claim + bytes(1_000_000)))
    # The directory promises as many bytes as the array would have.
    lying = archive(False, X=claim)
    promised = struct.pack("<I", (len(claim) + 80_000_000_000) % 2**32)
    put("npz/lie-sizes", lying.replace(struct.pack("<I", len(claim)), promised))
    put("npz/lie-short", archive(True, **arrays)[:-30])
    put("npz/lie-many", archive(False, X=npy(TABLE)).replace(b"\1\0\1\0", b"\xff\xff\xff\xff"))
    put("npz/wrong-empty", archive(False))
    put("npz/wrong-two-tables", archive(False, a=npy(TABLE), b=npy(TABLE)))
    put("npz/long-words", archive(True, X=npy(TABLE), kind=npy_saying("'<U999999999'", "(3,)")))


def mat(**variables) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, variables)
    return undated(file.getvalue())


def undated(content: bytes) -> bytes:
    """SciPy writes the time into the first 116 bytes."""
    return b"MATLAB 5.0 MAT-file".ljust(116) + content[116:]


def packed_mat(variable: bytes) -> bytes:
    """A variable of any content under zlib."""
    packed = zlib.compress(variable, 9)
    return mat()[:128] + struct.pack("<II", 15, len(packed)) + packed


def variable(rows: int, columns: int, stored: int, length: int, data: bytes = b"") -> bytes:
    """An array that says what it likes about its shape, its type and the bytes that follow."""
    head = struct.pack("<4I", 6, 8, 6, 0)
    head += struct.pack("<2I2i", 5, 8, rows, columns)
    head += struct.pack("<HH4s", 1, 3, b"fea")
    body = head + struct.pack("<II", stored, length % 2**32) + data
    return struct.pack("<II", 14, (len(head) + 8 + length) % 2**32) + body


def mat_seeds() -> None:
    for compressed in [False, True]:
        file = io.BytesIO()
        everything = {
            "fea": TABLE,
            "kind": KIND.reshape(3, 1),
            "gnd": KIND.reshape(3, 1).astype(float),
            "name": "text",
            "cell": np.array([[1, "a"]], dtype=object),
            "z": TABLE * 1j,
            "flag": TABLE > 2,
            "record": {"a": 1},
            "sparse": scipy.sparse.csc_matrix(TABLE),
        }
        scipy.io.savemat(file, everything, do_compression=compressed)
        put(f"mat/{'packed' if compressed else 'plain'}", undated(file.getvalue()))
    big = struct.pack(">II", 14, 64) + struct.pack(">4I", 6, 8, 6, 0) + struct.pack(">2I2i", 5, 8, 2, 1)
    big += struct.pack(">HH4s", 1, 1, b"X") + struct.pack(">IIdd", 9, 16, 1.0, 2.0)
    put("mat/big-endian", b"MATLAB 5.0 MAT-file".ljust(124) + b"\1\0MI" + big)
    put("mat/zeros", packed_mat(variable(1000, 1000, 2, 1_000_000, bytes(1_000_000))))
    put("mat/bomb-tail", packed_mat(variable(1, 1, 2, 8, bytes(1_000_000))))
    put("mat/bomb-packed", packed_mat(variable(2**31 - 1, 2, 2, 2**32 - 2, bytes(64))))
    put("mat/lie-plain", mat()[:128] + variable(2**31 - 1, 2**31 - 1, 9, 48, bytes(48)))
    put("mat/lie-negative", mat()[:128] + variable(-1, -1, 9, 8, bytes(8)))
    put("mat/lie-short", mat(fea=TABLE)[:-11])
    put("mat/wrong-type", mat()[:128] + variable(3, 2, 77, 48, bytes(48)))
    put("mat/wrong-cell", mat(fea=np.array([[1, "a"]], dtype=object)))
    put("mat/wrong-header", mat()[:100])


def h5(fill, **how) -> bytes:
    file = io.BytesIO()
    with h5py.File(file, "w", **how) as made:
        fill(made)
    return file.getvalue()


def anndata(made: h5py.File, x, samples: int = 3, links: int = 0) -> None:
    """As little of an `.h5ad` file as is one."""
    made.attrs["encoding-type"] = "anndata"
    x(made)
    obs, var = made.create_group("obs"), made.create_group("var")
    kind = obs.create_group("kind")
    kind["codes"] = np.zeros(samples, np.int8) if samples < 9 else 0
    kind["categories"] = np.array([b"a", b"b"])
    for i in range(links):
        obs[f"c{i}"] = made["X"]
    var["_index"] = np.array([b"g1", b"g2"])


def sparse(made: h5py.File, kind: str = "csr_matrix", shape=(3, 2), width=np.int64) -> None:
    x = made.create_group("X")
    x.attrs["encoding-type"] = kind
    x.attrs["shape"] = np.array(shape, width)
    x["data"], x["indices"] = np.array([1.0, 2, 3], np.float32), np.array([0, 1, 0], np.int32)
    starts = [0, 1, 2, 3] if kind == "csr_matrix" else [0, 2, 3]
    x["indptr"] = np.array(starts[: max(2, min(shape[0] if kind[2] == "r" else shape[1], 3) + 1)])


def hdf5_seeds() -> None:
    for name in ["v73.mat", "dense.h5ad"]:
        content = gzip.decompress((FIXTURES / f"{name}.gz").read_bytes())
        put(f"hdf5/{name.replace('.', '-')}", content)

    def plain(made):
        made["X"], made["kind"] = TABLE, KIND
        made.create_dataset("words", data=np.array(["a", "b", "c"], object), dtype=h5py.string_dtype())
        made.create_group("group")

    def chunked(made):
        made.create_dataset("X", data=TABLE, chunks=(2, 1), compression="gzip", shuffle=True,
                            fletcher32=True, maxshape=(None, 2))
        made["kind"] = np.array([b"x", b"y", b"x"])

    put("hdf5/plain", h5(plain))
    put("hdf5/plain-latest", h5(plain, libver="latest"))
    put("hdf5/chunked", h5(chunked))
    put("hdf5/chunked-latest", h5(chunked, libver="latest"))
    small = {"libver": "latest"}
    put("hdf5/anndata-csr", h5(lambda made: anndata(made, sparse), **small))
    put("hdf5/anndata-csc", h5(lambda m: anndata(m, lambda m: sparse(m, "csc_matrix", (3, 2))), **small))

    def unwritten(made, shape=(60_000, 60_000), kind=np.uint8):
        made.create_dataset("X", shape, kind, chunks=(1000, 1000)[: len(shape)])

    def zeros(made):
        made.create_dataset("X", data=np.zeros((400, 400)), chunks=(400, 400),
                            compression="gzip", compression_opts=9)

    def column(made):
        made.create_dataset("X", (2_000_000, 1), np.uint8, chunks=(1000, 1))

    put("hdf5/bomb-unwritten", h5(unwritten, **small))
    put("hdf5/unwritten", h5(lambda m: unwritten(m, (1000, 1000)), **small))
    put("hdf5/zeros", h5(zeros, **small))
    put("hdf5/bomb-links", h5(lambda m: anndata(m, column, 2_000_000, links=60), **small))
    wide = (1, 2**30)
    put("hdf5/bomb-sparse", h5(lambda m: anndata(m, lambda m: sparse(m, shape=wide), 1), **small))
    put("hdf5/lie-short", h5(plain)[:2500])
    put("hdf5/wrong-records", h5(lambda m: m.create_dataset("X", data=np.zeros(3, "f8,i4")), **small))
    put("hdf5/wrong-empty", h5(lambda m: m.create_group("g"), **small))


def parquet(table: pa.Table, **how) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, store_schema=False, write_statistics=False, **how)
    return file.getvalue()


def parquet_seeds() -> None:
    table = pa.table({
        "a": pa.array([1.5, 2.5, 3.5]),
        "b": pa.array([1, 2, 3], pa.uint8()),
        "kind": pa.array(["x", None, "y"]),
        "c": pa.array([True, False, True]),
    })
    for packing in ["snappy", "gzip", "lz4", "none"]:
        put(f"parquet/{packing}", parquet(table, compression=packing))
    put("parquet/wrong-zstd", parquet(table, compression="zstd"))
    put("parquet/version-2", parquet(table, data_page_version="2.0", use_dictionary=False))
    put("parquet/groups", parquet(table, row_group_size=1, compression="none"))
    numbers = pa.table({"a": pa.array([1, 2, 3, 1000]), "kind": pa.array([1, 1, 2, 2], pa.int32())})
    put("parquet/deltas", parquet(numbers, use_dictionary=False, compression="none",
                                  column_encoding="DELTA_BINARY_PACKED"))
    floats = pa.table({"a": pa.array([1.5, 2.5], pa.float32())})
    put("parquet/split", parquet(floats, use_dictionary=False, column_encoding="BYTE_STREAM_SPLIT"))
    rows = 20_000_000
    same = pa.table({"a": pa.array(np.ones(rows, np.int32)), "kind": pa.array(np.ones(rows, np.int8))})
    put("parquet/bomb-runs", parquet(same, row_group_size=rows, data_page_size=2**30,
                                     max_rows_per_page=rows))
    zeros = pa.table({"a": pa.array(np.zeros(100_000))})
    put("parquet/zeros", parquet(zeros, compression="gzip", compression_level=9,
                                 max_rows_per_page=100_000, use_dictionary=False, data_page_size=2**30))
    put("parquet/wrong-lists", parquet(pa.table({"a": pa.array([[1.0], [2.0]])})))
    put("parquet/wrong-times", parquet(pa.table({"a": pa.array([1, 2], pa.timestamp("ns"))})))
    put("parquet/wrong-empty", parquet(pa.table({"a": pa.array([], pa.float64())})))
    put("parquet/lie-footer", b"PAR1" + bytes(20) + b"\xff\xff\xff\x7fPAR1")
    put("parquet/lie-short", parquet(table)[:-40])


def png(width: int, height: int, depth: int, kind: int, data: bytes, passes: int = 0) -> bytes:
    """A picture that says what it likes."""
    def chunk(name, content):
        end = struct.pack(">I", zlib.crc32(name + content))
        return struct.pack(">I", len(content)) + name + content + end

    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, passes)
    packed = zlib.compress(data, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def market(kind: str, rest: str) -> bytes:
    return f"%%MatrixMarket matrix {kind}\n{rest}".encode()


def market_seeds() -> None:
    put("market/coordinate", market("coordinate real general", "% made\n2 3 3\n1 1 5\n2 3 1.5\n1 2 -1e-3\n"))
    put("market/integer", market("coordinate integer general", "2 2 2\n2 2 7\n1 1 1\n"))
    put("market/pattern", market("coordinate pattern general", "2 2 3\n1 1\n2 2\n2 1\n"))
    put("market/symmetric", market("coordinate real symmetric", "2 2 2\n1 1 3\n2 1 4\n"))
    put("market/skew", market("coordinate real skew-symmetric", "2 2 1\n2 1 4\n"))
    put("market/twice", market("coordinate real general", "2 2 3\n2 2 7\n1 1 1\n2 2 -7\n"))
    put("market/array", market("array real general", "2 2\n1\n2\n3\n4\n"))
    put("market/lower-half", market("array integer symmetric", "2 2\n1\n2\n3\n"))
    put("market/many-empty-rows", market("coordinate pattern general", "1000000 1000000 1\n1 1\n"))
    put("market/packed", gzip.compress(market("coordinate pattern general", "2 2 1\n1 1\n"), mtime=0))
    put("market/lie-entries", market("coordinate real general", f"2 2 {2**62}\n1 1 1\n"))
    put("market/lie-rows", market("coordinate real general", f"{2**62} 2 1\n1 1 1\n"))
    put("market/lie-columns", market("coordinate real general", f"2 {2**63} 1\n1 1 1\n"))
    put("market/lie-array", market("array real general", f"{2**40} {2**40}\n1\n"))
    put("market/lie-short", market("coordinate real general", "2 2 3\n1 1 1\n"))
    put("market/lie-long", market("coordinate real general", "2 2 1\n1 1 1\n2 2 2\n"))
    put("market/lie-place", market("coordinate real general", "2 2 1\n3 1 1\n"))
    put("market/bomb-rows", gzip.compress(market("coordinate pattern general", f"{10**10} 2 1\n1 1\n"), mtime=0))
    put("market/bomb-line", gzip.compress(market("coordinate real general", "2 2 1\n" + "1" * 2**24), mtime=0))
    put("market/wrong-complex", market("coordinate complex general", "1 1 1\n1 1 1 1\n"))
    put("market/wrong-word", market("coordinate real general", "2 2 1\n1 1 one\n"))
    put("market/wrong-nan", market("coordinate real general", "2 2 1\n1 1 nan\n"))


def scipy_npz(matrix: object) -> bytes:
    file = io.BytesIO()
    scipy.sparse.save_npz(file, matrix)
    return file.getvalue()


def sparse_seeds() -> None:
    """Sparse tables of SciPy and MATLAB."""
    table = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
    for kind in ["csr", "csc", "coo", "dia"]:
        put(f"npz/scipy-{kind}", scipy_npz(getattr(scipy.sparse, f"{kind}_array")(table)))
    put("npz/scipy-bsr", scipy_npz(scipy.sparse.bsr_array(table, blocksize=(1, 3))))
    good = scipy.sparse.csr_array(table)

    def saying(**parts: np.ndarray) -> bytes:
        file = io.BytesIO()
        own = {"data": good.data, "indices": good.indices, "indptr": good.indptr}
        np.savez(file, format=b"csr", **{"shape": np.array([2, 3]), **own, **parts})
        return file.getvalue()

    put("npz/lie-scipy-shape", saying(shape=np.array([2**62, 3])))
    put("npz/lie-scipy-bounds", saying(indptr=np.array([0, 2**62, 3])))
    put("npz/lie-scipy-index", saying(indices=np.array([0, -1, 2])))
    put("npz/lie-scipy-fewer", saying(data=np.array([1.0])))
    put("npz/wrong-scipy-nan", saying(data=np.array([1.0, np.nan, 2.0])))
    file = io.BytesIO()
    scipy.io.savemat(file, {"fea": scipy.sparse.csc_matrix(table), "gnd": np.array([[1], [2]])})
    put("mat/sparse", file.getvalue())
    file = io.BytesIO()
    scipy.io.savemat(file, {"fea": scipy.sparse.csc_matrix(table)}, do_compression=True)
    put("mat/sparse-packed", file.getvalue())
    # The rows of the entries are the first element behind the name.
    raw = bytearray(mat_of_sparse(table))
    at = raw.index(struct.pack("<iii", 0, 0, 1))
    raw[at : at + 4] = struct.pack("<i", 2**30)
    put("mat/lie-row", bytes(raw))


def mat_of_sparse(table: np.ndarray) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, {"fea": scipy.sparse.csc_matrix(table)})
    return file.getvalue()


def picture_seeds() -> None:
    grey = Image.fromarray(np.arange(63, dtype=np.uint8).reshape(7, 9))
    deep = Image.fromarray(np.arange(0, 6300, 100, dtype=np.uint16).reshape(7, 9))
    colour = grey.convert("RGB")

    def saved(picture, kind, **how):
        file = io.BytesIO()
        picture.save(file, kind, **how)
        return file.getvalue()

    for kind in ["PNG", "JPEG", "TIFF", "BMP", "PPM"]:
        put(f"picture/grey-{kind.lower()}", saved(grey, kind))
        put(f"picture/colour-{kind.lower()}", saved(colour, kind))
    for kind in ["PNG", "TIFF", "PPM"]:
        put(f"picture/deep-{kind.lower()}", saved(deep, kind))
    put("picture/progressive-jpeg", saved(grey, "JPEG", progressive=True, quality=20))
    put("picture/palette-png", saved(colour.quantize(8), "PNG"))
    put("picture/palette-bmp", saved(colour.quantize(8), "BMP"))
    put("picture/transparent-png", saved(colour.convert("RGBA"), "PNG"))
    put("picture/interlaced-png", png(2, 2, 8, 0, b"\0\1\0\2\0\3\4", 1))
    for how in ["tiff_lzw", "tiff_deflate", "packbits"]:
        put(f"picture/{how.removeprefix('tiff_')}-tiff", saved(grey, "TIFF", compression=how))
    put("picture/wrong-jpeg-tiff", saved(grey, "TIFF", compression="jpeg"))
    put("picture/fax-tiff", saved(grey.convert("1"), "TIFF", compression="group4"))
    put("picture/ascii-pgm", b"P2\n# a word\n3 2\n9\n1 2 3\n4 5 6\n")
    put("picture/bits-pbm", b"P4 9 2\n\xaa\x80\x55\x00")
    put("picture/black-png", png(1000, 1000, 8, 0, bytes(1001 * 1000)))
    put("picture/bomb-bits-png", png(5600, 5600, 1, 0, bytes(701 * 5600)))
    put("picture/black-tiff", saved(Image.new("L", (1000, 1000)), "TIFF", compression="tiff_deflate"))
    put("picture/lie-png", png(60_000, 60_000, 16, 6, bytes(100)))
    put("picture/lie-png-sides", png(2**31 - 1, 2**31 - 1, 8, 2, bytes(100)))
    put("picture/lie-pgm", b"P5 60000 60000 255\n12")
    put("picture/lie-pam", b"P7\nWIDTH 65535\nHEIGHT 65535\nDEPTH 4\nMAXVAL 255\nENDHDR\n")
    bmp = bytearray(saved(grey, "BMP"))
    bmp[18:26] = struct.pack("<ii", 60_000, -60_000)
    put("picture/lie-bmp", bytes(bmp))
    put("picture/lie-short-png", saved(grey, "PNG")[:40])
    put("picture/lie-short-jpeg", saved(grey, "JPEG")[:-200])


def text_seeds() -> None:
    put("text/header", b"a,b,kind\n1,2,x\n3,4,y\n")
    put("text/semicolons", b"1;2\r\n3;4\r\n")
    put("text/tabs", b"a\tkind\n1\tx\n2\t\n")
    put("text/spaces", b"1.5e3  2\n -3  +4\n")
    put("text/quotes", b'"a ""b""",kind\n"1","x\ny"\n2,z\n')
    put("text/mark", b"\xef\xbb\xbfa,b\n1,2\n")
    put("text/ragged", b"1,2\n3\n")
    put("text/frame", b",0,1\nx,5,6\ny,7,8\n")
    put("text/packed", gzip.compress(b"a,kind\n1,x\n", mtime=0))
    put("text/bomb-packed", gzip.compress(b"," * 2**20, mtime=0))
    put("text/wrong-packed", gzip.compress(b"a,kind\n1,x\n", mtime=0)[:-6])
    put("text/wrong-twice", b"a,a\n1,2\n")
    put("text/wrong-blank", b"a,b\n1,2\n\n3,4\n")
    put("text/wrong-word", b"a,b\n1,two\n")
    put("text/wrong-missing", b"a,b\n1,NA\n")
    put("text/wrong-infinite", b"1,inf\n1e999,nan\n")
    put("text/wrong-utf8", b"a,kind\n1,\xff\xfe\n")
    put("text/wrong-commas", b"," * 3000)
    put("text/wrong-lines", b"\n" * 3000)
    put("text/wrong-quote", b'"' + b"1," * 1000)


def word_seeds() -> None:
    put("label_file/row", b"who,pose\neva,left\njo,\n")
    put("label_file/name", b"a;who\nb_1;eva\nc_2.pgm;jo\nd;x\n")
    put("label_file/also-twice", b"a,who\nb_1,eva\nb_1,jo\n")
    put("label_file/wrong-binary", npy(TABLE))
    put("label_file/blank", b"who\n\njo\n")
    put("label_file/no-header", b"eva\nNA\n")
    put("label_file/wrong-twice", b"who,who\n1,2\n3,4\n")
    put("label_file/wrong-rows", b"who\n" + b"x\n" * 500)
    put("pattern/two", b"{who}_{n}")
    put("pattern/wrong-folder", b"{folder}/{who}_{n}")
    put("pattern/wrong-open", b"{who_{n")
    put("pattern/wrong-touching", b"{a}{b}")
    put("pattern/wrong-words", "{wér}_☃_{n}".encode())
    put("chain/all", b"unit, log1p,standardize,min-max,tf-idf,igo,resize=32x30")
    put("chain/none", b"none")
    put("chain/wrong-size", b"resize=99999999999999999999x1,resize=0x0,resize=x")


def model(change) -> bytes:
    """A sound model after a change to its tensors, our metadata or its factors."""
    content = (HERE / "model/deep").read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header, factors = json.loads(content[8 : 8 + length]), content[8 + length :]
    ours = json.loads(header["__metadata__"]["deepnmf"])
    factors = change(header, ours) or factors
    header["__metadata__"]["deepnmf"] = json.dumps(ours)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + factors


def model_seeds() -> None:
    def steps(*wanted):
        return lambda _, ours: ours["provenance"].update(preprocessing=list(wanted))

    shape = {"width": 2, "height": 2, "order": "row-major"}
    four = [1.0, 2.0, 3.0, 4.0]
    put("model/steps", model(steps("unit", {"igo": shape})))
    put("model/steps-learnt", model(steps({"min-max": {"low": four, "high": four}})))
    big = {"width": 2**31, "height": 2**31, "from": shape}
    put("model/steps-resize", model(steps({"resize": big})))
    long = {"width": 1, "height": 2**34, "from": shape}
    put("model/steps-resize-long", model(steps({"resize": long})))
    none = {"width": 0, "height": 2**63, "order": "row-major"}
    put("model/steps-none", model(steps({"igo": none})))
    put("model/lie-header", struct.pack("<Q", 2**63) + b"{}")
    put("model/lie-layers", model(lambda _, ours: ours["settings"].update(layers=[2**62, 2**62])))
    put("model/lie-none", model(lambda _, ours: ours["settings"].update(layers=[0, 0])))

    def sizes(header, ours):
        ours["summary"].update(features=2**40)
        header["z1"].update(shape=[3, 2**40], data_offsets=[0, 3 * 8 * 2**40])

    put("model/lie-sizes", model(sizes))
    put("model/wrong-nan", model(lambda *_: b"\xff" * 8 * (12 + 6 + 15 + 10)))
    put("model/wrong-json", struct.pack("<Q", 2000) + b"[" * 2000)


if __name__ == "__main__":
    npy_seeds()
    npz_seeds()
    mat_seeds()
    hdf5_seeds()
    parquet_seeds()
    market_seeds()
    sparse_seeds()
    picture_seeds()
    text_seeds()
    word_seeds()
    model_seeds()
