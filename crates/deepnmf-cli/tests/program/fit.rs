//! `deepnmf fit`: the same bits whatever the threads, and one JSON object that tells the truth.

use crate::common::{FACES, Folder, npy, number, samples, table, tensors};
use serde_json::json;

#[test]
fn the_json_object_has_every_promised_key_and_agrees_with_itself() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --layers 10,4 --out m.safetensors"));
    assert_eq!(fit["model"], "deep-semi-nmf");
    assert_eq!(fit["layers"], json!([10, 4]));
    let history: Vec<f64> = serde_json::from_value(fit["history"].clone()).unwrap();
    assert_eq!(history.len() as u64, fit["iterations"].as_u64().unwrap() + 1);
    assert!(history.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-12)), "{history:?}");
    let (error, bound) = (number(&fit, "error"), number(&fit, "svd_bound"));
    assert!((history.last().unwrap() - error).abs() <= 1e-6 * error);
    assert!((number(&fit, "gap") - (error / bound - 1.0)).abs() < 1e-9, "{fit}");
    // 24 samples of norm 1
    assert!((number(&fit, "relative_error") - error / 24_f64.sqrt()).abs() < 1e-9, "{fit}");
    assert_eq!(fit["stop"], "converged");
    assert!(number(&fit, "seconds") >= 0.0);
}

#[test]
fn info_tells_what_fit_told() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --layers 6 --out m.safetensors"));
    let info = folder.json("info m.safetensors");
    for key in ["model", "layers", "error", "svd_bound", "gap", "iterations", "stop", "history"] {
        assert_eq!(fit[key], info[key], "{key}");
    }
    let text = folder.run("info m.safetensors").stdout;
    for words in ["semi-nmf: 24 samples of 144 features, layers 6", "converged", "unit", "f64"] {
        assert!(text.contains(words), "{words:?} is missing in: {text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_factors_whatever_the_threads() {
    let faces = "builtin:faces:identities=8,size=20"; // enough for the work to be shared
    for options in ["--init random", "--init kmeans --dtype f32", "--init optimal", "--init svd"] {
        let folder = Folder::new();
        for threads in [1, 2] {
            folder.fit(&format!(
                "{faces} --layers 40,12 --seed 7 --max-iter 15 {options} --threads {threads} \
                 --out {threads}.safetensors"
            ));
        }
        let [one, two] = ["1.safetensors", "2.safetensors"].map(|m| tensors(&folder.read(m)));
        let names: Vec<&str> = one.keys().map(String::as_str).collect();
        assert_eq!(names, ["h1", "h2", "z1", "z2"]);
        assert!(one == two, "{options}: the factors differ");
    }
}

#[test]
fn another_seed_gives_other_random_factors() {
    let folder = Folder::new();
    for seed in [1, 2] {
        folder.fit(&format!(
            "{FACES} --layers 5 --init random --seed {seed} --max-iter 3 --out {seed}.safetensors"
        ));
    }
    let [one, two] = ["1.safetensors", "2.safetensors"].map(|m| tensors(&folder.read(m)));
    assert!(one != two);
}

#[test]
fn single_and_double_precision_agree() {
    for options in ["--layers 6", "--layers 10,4", "--layers 6 --init random --solver accelerated"]
    {
        let folder = Folder::new();
        let [single, double] = ["f32", "f64"].map(|dtype| {
            let fit = folder.fit(&format!("{FACES} {options} --dtype {dtype}"));
            assert_eq!(fit["dtype"], dtype);
            number(&fit, "error")
        });
        assert!((single - double).abs() <= 1e-3 * double, "{options}: {single} and {double}");
    }
}

#[test]
fn text_and_binary_files_of_the_same_samples_give_the_same_factors() {
    let folder = Folder::new();
    folder.write("x.npy", npy(&samples()));
    folder.write("x.csv", table("a,b,c,d"));
    for data in ["x.npy", "x.csv"] {
        folder.fit(&format!("{data} --layers 2 --normalize none --out {data}.safetensors"));
    }
    let [binary, text] =
        ["x.npy.safetensors", "x.csv.safetensors"].map(|m| tensors(&folder.read(m)));
    assert!(binary == text);
    let info = folder.json("info x.csv.safetensors");
    assert_eq!(info["feature_names"], json!(["a", "b", "c", "d"]));
}

#[test]
fn a_column_of_labels_is_not_a_feature() {
    let folder = Folder::new();
    folder.write("x.csv", table("a,b,species,d"));
    let fit = folder.fit("x.csv --layers 2 --labels-key species");
    assert_eq!((fit["features"].clone(), fit["samples"].clone()), (json!(3), json!(8)));
}

#[test]
fn a_fit_begun_from_a_model_begins_where_it_ended() {
    let folder = Folder::new();
    for layers in ["6", "10,4"] {
        let options = format!("{FACES} --layers {layers} --solver multiplicative");
        let first =
            folder.fit(&format!("{options} --init random --max-iter 5 --out m.safetensors"));
        let more = folder.fit(&format!("{options} --init-from m.safetensors --max-iter 5"));
        let (before, start) = (number(&first, "error"), more["history"][0].as_f64().unwrap());
        assert!(start <= before * (1.0 + 1e-9), "ended at {before}, began at {start}");
        assert!(number(&more, "error") < before);
        // The number type may change on the way.
        folder.fit(&format!("{options} --init-from m.safetensors --dtype f32"));
    }
}

#[test]
fn no_time_at_all_gives_the_start_as_a_model() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --layers 10,4 --max-seconds 0 --out m.safetensors"));
    assert_eq!((fit["stop"].clone(), fit["iterations"].clone()), (json!("time-budget"), json!(0)));
    assert!(folder.run("info m.safetensors").stdout.contains("used up its time"));
}

#[test]
fn growing_layers_are_remarked_upon() {
    let folder = Folder::new();
    let fit = folder.fit(&format!("{FACES} --layers 4,6"));
    let notices = fit["notices"].to_string();
    assert!(notices.contains("layer 2 has 6 components but the layer below only 4"), "{notices}");
    let text = folder.run(&format!("fit {FACES} --layers 4,6")).stdout;
    assert!(text.contains("layer 2 has 6 components"), "{text}");
}

#[test]
fn every_start_and_solver_can_be_chosen() {
    let folder = Folder::new();
    for init in ["random", "kmeans", "svd", "optimal"] {
        for solver in
            ["multiplicative --eta 0.4 --inner 2", "hals --inner 3", "accelerated --inner 5"]
        {
            let fit = folder.fit(&format!("{FACES} --layers 8,4 --init {init} --solver {solver}"));
            assert!(number(&fit, "gap") > -1e-9, "below the bound: {fit}");
        }
    }
    folder.fit(&format!("{FACES} --layers 8,4 --form literal --max-iter 3 --scale balanced"));
    assert!(folder.fit(&format!("{FACES} --layers 8 --no-bound"))["svd_bound"].is_null());
}

#[test]
fn an_existing_model_is_replaced_and_nothing_else_is_left() {
    let folder = Folder::new();
    folder.write("m.safetensors", "old");
    folder.fit(&format!("{FACES} --layers 4 --out m.safetensors"));
    assert_eq!(folder.listing().len(), 1);
    assert_eq!(tensors(&folder.read("m.safetensors")).len(), 2);
}

#[test]
fn quiet_runs_say_nothing_on_standard_error() {
    let run = Folder::new().run(&format!("fit {FACES} --layers 4 --quiet"));
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
}

#[test]
fn every_activation_loss_and_optimizer_can_be_asked_for() {
    let folder = Folder::new();
    let rounds = "--layers 10,4 --max-iter 5";
    for activation in ["identity", "stanh", "square", "sigmoid", "softplus", "relu"] {
        let fit = folder.fit(&format!("{FACES} {rounds} --activation {activation}"));
        assert_eq!(fit["settings"]["activation"], activation);
    }
    for loss in ["paper", "layer", "data"] {
        for optimizer in ["auto", "apg", "apg-blocks", "adam", "varpro"] {
            let flags = format!("--activation softplus --loss {loss} --optimizer {optimizer}");
            let fit = folder.fit(&format!("{FACES} {rounds} {flags}"));
            let history: Vec<f64> = serde_json::from_value(fit["history"].clone()).unwrap();
            assert!(history.windows(2).all(|pair| pair[1] <= pair[0]), "{flags}: {history:?}");
        }
    }
    let penalties =
        "--ridge 0.01 --sparsity 0.001 --normal-form features --weights 1,2 --loss data";
    assert_eq!(folder.fit(&format!("{FACES} {rounds} {penalties}"))["settings"]["loss"], "data");
}

#[test]
fn a_nonlinear_model_is_kept_and_applied_to_new_samples() {
    let folder = Folder::new();
    let flags = "--layers 10,4 --activation relu --max-iter 20 --out m.safetensors";
    let fit = folder.fit(&format!("{FACES} {flags}"));
    for method in ["basis", "nonnegative"] {
        for layer in [1, 2] {
            let flags = format!("--layer {layer} --method {method} --out h.npy");
            let told = folder.json(&format!("transform m.safetensors {FACES} {flags}"));
            let error = number(&told, "error");
            assert!(error.is_finite() && error >= 0.5 * number(&fit, "error"), "{told}");
        }
    }
    let info = folder.json("info m.safetensors");
    assert_eq!(info["settings"]["activation"], "relu");
}

#[test]
fn bases_of_another_model_begin_a_fit_of_other_samples() {
    let folder = Folder::new();
    folder.fit(&format!("{FACES} --layers 10,4 --activation relu --out a.safetensors"));
    let others = "builtin:faces:identities=4,poses=2,expressions=2,illuminations=2,size=12,seed=9";
    let flags = "--layers 10,4 --activation relu --bases-from a.safetensors";
    let fit = folder.fit(&format!("{others} {flags}"));
    assert_eq!(fit["runs"][0]["part"], "fine-tuning");
    let run = folder.run(&format!("fit {others} --layers 10,5 --bases-from a.safetensors"));
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("--bases-from a.safetensors"), "{run}");
    assert!(run.stderr.contains("found 10-4, but 10-5 is needed"), "{run}");
}

#[test]
fn flags_that_belong_to_another_model_are_refused() {
    let folder = Folder::new();
    for (flags, words) in [
        ("--layers 4 --activation relu", "--activation belongs to --model deep-semi-nmf"),
        ("--layers 4 --loss data", "--loss belongs to --model deep-semi-nmf"),
        ("--layers 4 --bases-from m.safetensors", "--bases-from belongs to"),
        ("--layers 9,4 --step 0.1", "--step belongs to --optimizer adam"),
        ("--layers 9,4 --sparsity 0.1", "ridge"),
        ("--layers 9,4 --loss data --weights 1", "each of the 2 layers"),
    ] {
        let run = folder.run(&format!("fit {FACES} {flags}"));
        assert!(run.code == Some(2) || run.code == Some(1), "{run}");
        assert!(run.stderr.contains(words), "{flags}: {run}");
    }
}

#[test]
fn non_negative_factors_can_be_asked_for_from_every_start() {
    let folder = Folder::new();
    for flags in [
        "",
        "--init random",
        "--init nndsvd",
        "--init nndsvdar --seed 3",
        "--solver multiplicative",
        "--solver accelerated --dtype f32",
    ] {
        let fit = folder.fit(&format!("{FACES} --model nmf --layers 4 {flags}"));
        assert_eq!(fit["model"], "nmf");
        assert!(number(&fit, "gap") > -1e-6 && number(&fit, "relative_error") < 0.3, "{fit}");
    }
    for model in [
        "nenmf",
        "nenmf --init random",
        "gnmf",
        "gnmf --lambda 0.1 --neighbours 3 --neighbour-weights heat",
        "gnmf --solver hals --neighbour-weights dot",
        "gnmf --variant printed",
        "cnmf --attributes identity --label-fraction 0.5",
        "dnmf --attributes identity --gamma 0.2 --delta 0.01",
        "multilayer-nmf",
        "multilayer-nmf --solver multiplicative",
    ] {
        let fit = folder.fit(&format!("{FACES} --model {model} --layers 4"));
        assert!(number(&fit, "gap") > -1e-6 && number(&fit, "relative_error") < 0.5, "{fit}");
    }
    let deep = folder.fit(&format!("{FACES} --model multilayer-nmf --layers 8,4"));
    assert_eq!(deep["layers"], serde_json::json!([8, 4]));
    let foreign = format!("fit {FACES} --model nmf --layers 4 --neighbours 3");
    folder.refuses(&foreign, 2, &["--neighbours belongs to --model", "gnmf"]);
    folder.refuses(
        &format!("fit {FACES} --model nenmf --layers 4 --solver hals"),
        2,
        &["--solver"],
    );
    folder.fit(&format!("{FACES} --model nmf --layers 4 --out m.safetensors"));
    folder.json(&format!("transform m.safetensors {FACES} --out h.npy"));
    folder.write("signed.csv", "1,2,3.5\n4,-5,6\n7,8,9\n");
    let signed = "fit signed.csv --model nmf --layers 2 --normalize none";
    folder.refuses(signed, 1, &["sample 2", "feature 2", "-5", "Semi-NMF"]);
    let start = format!("fit {FACES} --model nmf --layers 4 --init optimal");
    folder.refuses(&start, 2, &["nndsvda"]);
    folder.refuses(&format!("fit {FACES} --layers 4 --init nndsvd"), 2, &["--model nmf"]);
}

#[test]
fn a_long_fit_writes_lines_where_nobody_watches_a_bar() {
    let folder = Folder::new();
    let long = "fit builtin:faces --layers 60 --init random --solver multiplicative --kappa 0 \
                --max-iter 100000000 --max-seconds 5.5 --no-bound";
    let run = folder.run(long);
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.contains("iteration")).collect();
    assert_eq!(lines.len(), 1, "{run}");
    assert!(lines[0].starts_with("fitting: iteration ") && lines[0].ends_with(" s"), "{run}");
    assert!(lines[0].contains("of 100000000, error "), "{run}");
    let short = folder.run("fit builtin:faces --layers 4 --max-iter 3");
    assert!(!short.stderr.contains("iteration"), "{short}");
}

#[test]
fn the_settings_that_matter_and_all_losses_are_shown() {
    let folder = Folder::new();
    folder.fit(&format!(
        "{FACES} --layers 10,4 --activation relu --seed 7 --max-iter 5 --out m.safetensors"
    ));
    let info = folder.run("info m.safetensors").stdout;
    for words in ["activation  relu", "seed        7", "loss        paper"] {
        assert!(info.contains(words), "{words:?} is missing in: {info}");
    }
    for stage in ["pre-training layer 1: ", "pre-training layer 2: ", "fine-tuning: "] {
        assert!(info.contains(&format!("losses      {stage}")), "{stage:?} is missing in: {info}");
    }
}
