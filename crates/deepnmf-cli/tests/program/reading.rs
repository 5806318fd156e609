//! Tables as other programs write them, and data from several files, packed files and pipes.

use crate::common::{Folder, npy, samples, table};

/// [`samples`] as lines, each after what `first` makes of its number.
fn lines(first: impl Fn(usize) -> String) -> String {
    let line = |(i, row): (usize, &[f64; 4])| first(i) + &row.map(|v| v.to_string()).join(",");
    samples().iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_frame_as_pandas_writes_it_has_neither_header_nor_index_among_its_numbers() {
    let folder = Folder::new();
    folder.write("plain.csv", table("a,b,c,d"));
    folder.write("frame.csv", format!(",0,1,2,3\n{}\n", lines(|i| format!("{i},"))));
    folder.write("no_index.csv", table("0,1,2,3"));
    let plain = folder.fit("plain.csv --layers 2");
    for name in ["frame.csv", "no_index.csv"] {
        let fit = folder.fit(&format!("{name} --layers 2 --out m.safetensors"));
        assert_eq!((&fit["samples"], &fit["features"]), (&8.into(), &4.into()), "{name}");
        assert_eq!(fit["error"], plain["error"], "{name}");
    }
    let run = folder.run("fit no_index.csv --layers 2");
    assert!(run.stderr.contains("was taken for a header"), "{run}");
    let run = folder.run("fit no_index.csv --layers 2 --header yes");
    assert!(!run.stderr.contains("was taken for a header"), "{run}");
    assert_eq!(folder.fit("no_index.csv --layers 2 --header no")["samples"], 9);
}

#[test]
fn a_table_with_an_identifier_and_a_label_is_fitted_in_one_command() {
    let folder = Folder::new();
    let kinds = ["u", "v", "u", "NA", "v", "u", "v", "u"];
    folder
        .write("x.csv", format!("id,kind,a,b,c,d\n{}\n", lines(|i| format!("s{i},{},", kinds[i]))));
    let flags = "--labels-key kind --names-key id";
    let fit = folder.fit(&format!(
        "x.csv {flags} --model wsf --attributes kind --layers 2 --out m.safetensors"
    ));
    assert_eq!((&fit["samples"], &fit["features"]), (&8.into(), &4.into()));
    folder.json(&format!("transform m.safetensors x.csv {flags} --out h.csv"));
    assert!(String::from_utf8(folder.read("h.csv")).unwrap().contains("\ns7,"));
    let named = folder.fit("x.csv --columns a,b,c,d --layers 2");
    let dropped = folder.fit("x.csv --drop id,2 --layers 2");
    assert_eq!(named["error"], dropped["error"]);
    let words = ["line 2, column 1 (\"id\")", "--labels-key id", "--names-key id", "--drop id"];
    folder.refuses("fit x.csv --layers 2", 1, &words);
    folder.refuses("fit x.csv --layers 2 --drop what", 1, &["\"what\"", "--drop"]);
}

#[test]
fn columns_are_chosen_in_tables_only() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    for flag in ["--columns a", "--drop 1", "--names-key a", "--header no"] {
        let words = [flag.split(' ').next().unwrap(), "leave it out"];
        folder.refuses(&format!("fit x.npy --layers 2 {flag}"), 1, &words);
        folder.refuses(&format!("fit builtin:xor --layers 2 {flag}"), 2, &words);
    }
}

#[test]
fn duplicate_names_blank_lines_and_ragged_rows_are_said() {
    let folder = Folder::new();
    for (text, word) in [
        ("a,b,a\n1,2,3\n", "several columns \"a\""),
        ("a,b\n1,2\n\n3,4\n", "line 3 is blank"),
        ("a,b\n1,2\n3\n", "line 3 has 1 fields"),
    ] {
        folder.write("x.csv", text);
        folder.refuses("fit x.csv --layers 1", 1, &["x.csv", word]);
    }
}

#[test]
fn data_come_from_a_pipe_as_from_a_file() {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,c,d"));
    let expected = folder.fit("x.csv --layers 2 --out m.safetensors");
    for input in [table("a,b,c,d").into_bytes(), npy(&samples())] {
        let run = folder.run_with_input("fit - --layers 2 --json", &input);
        assert_eq!(run.json()["error"], expected["error"], "{run}");
    }
    let run =
        folder.run_with_input("transform m.safetensors - --out -", table("a,b,c,d").as_bytes());
    assert_eq!(run.stdout.lines().count(), 9, "{run}");
    let labels: String = (0..8).map(|i| ["u\n", "v\n"][i % 2]).collect();
    folder.write("kinds.txt", labels);
    let evaluate =
        "evaluate m.safetensors --data - --labels-file kinds.txt --project basis --cluster";
    let run = folder.run_with_input(evaluate, table("a,b,c,d").as_bytes());
    assert_eq!(run.code, Some(0), "{run}");
    let run = folder.run_with_input("fit - --layers 2", b"a,b\n1,x\n");
    assert!(run.stderr.contains("standard input: line 2, column 2"), "{run}");
}

/// What gzip makes of `a,b`, `1,2`, `3,4` and `5,7`.
const PACKED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xe2\
    \x32\xd6\x31\xe1\x32\xd5\x31\xe7\x02\x00\x2a\xf6\x18\x4b\x10\x00\x00\x00\
    ";

#[test]
fn packed_files_are_read() {
    let folder = Folder::new();
    folder.write("x.csv", "a,b\n1,2\n3,4\n5,7\n");
    folder.write("x.csv.gz", PACKED);
    let fit = |name: &str| folder.fit(&format!("{name} --layers 1"))["error"].clone();
    assert_eq!(fit("x.csv.gz"), fit("x.csv"));
}

#[test]
fn samples_of_several_files_follow_each_other() {
    let folder = Folder::new();
    let all = samples();
    folder.write("all.npy", npy(&all));
    folder.write("a.npy", npy(&all[..3]));
    folder.write("b.npy", npy(&all[3..]));
    folder.write("wide.npy", npy(&[[1.0; 5]]));
    folder.write("kinds.csv", "kind\nu\nv\nu\nv\nu\nv\nu\nv\n");
    let model = "--model wsf --attributes kind --labels-file kinds.csv --layers 2";
    let expected = folder.fit(&format!("all.npy {model} --out m.safetensors"));
    let fit = folder.fit(&format!("a.npy b.npy {model}"));
    assert_eq!((&fit["samples"], &fit["error"]), (&8.into(), &expected["error"]));
    folder.json("transform m.safetensors all.npy --out h.csv");
    folder.json("transform m.safetensors a.npy b.npy --out parts.csv");
    assert_eq!(folder.read("h.csv"), folder.read("parts.csv"));
    folder.refuses("fit a.npy wide.npy --layers 2", 1, &["wide.npy", "a.npy", "5 features, not 4"]);
    folder.refuses("fit - - --layers 2", 2, &["standard input", "once"]);
}

#[test]
fn features_get_names_from_a_file() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    folder.write("names.txt", "left eye\nright eye\nnose\nmouth\n");
    folder.fit("x.npy --feature-names names.txt --layers 2 --out m.safetensors");
    let run = folder.run("export m.safetensors --what bases --out -");
    assert!(run.stdout.contains("\nnose,"), "{run}");
    folder.write("names.txt", "left eye\n");
    folder.refuses("fit x.npy --feature-names names.txt --layers 2", 1, &["names.txt", "1 lines"]);
}
