//! Tables that a command writes: to a file whose name tells the format, or to standard output.

use std::io::{self, BufWriter};
use std::path::Path;

use anyhow::{Context, Result};
use deepnmf::Scalar;
use deepnmf_data::{Table, TableFormat};
use serde_json::Value;

use crate::args::UsageError;
use crate::input::check_output;
use crate::output::Output;

/// The name that means standard output.
const STANDARD: &str = "-";

/// Finds out, before the work, that a table can be written to `out`, and not over what is `read`.
pub(crate) fn check(out: &Path, read: &[&Path], output: Output) -> Result<()> {
    if out == Path::new(STANDARD) {
        if output.is_json() {
            let text = "--json and --out - both write to standard output: name a file with --out";
            return Err(UsageError(text.into()).into());
        }
        return Ok(());
    }
    check_output(out, read)?;
    TableFormat::of(out).map(drop).map_err(|error| UsageError(error.to_string()).into())
}

/// Writes the table and says so. Beside a table on standard output the text is a remark.
pub(crate) fn write<T: Scalar>(
    table: &Table<'_, T>,
    out: &Path,
    output: Output,
    text: &str,
    object: &Value,
) -> Result<()> {
    if out == Path::new(STANDARD) {
        let mut standard = BufWriter::new(io::stdout().lock());
        table
            .write_text(&mut standard, TableFormat::Csv)
            .context("cannot write to standard output")?;
        output.remark(text.trim_end());
        return Ok(());
    }
    table.write(out)?;
    output.result(&format!("{text}wrote {}\n", out.display()), object)
}

/// What components are called in a table.
pub(crate) fn component_names(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("component_{number}")).collect()
}
