//! `deepnmf man`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use deepnmf::persist::write_atomically;
use serde_json::json;

use crate::args::{Args, ManArgs};
use crate::output::{Outcome, Output};

/// Prints the page of the program, or writes those of all commands.
pub(crate) fn run(args: &ManArgs, output: Output) -> Result<Outcome> {
    let mut program = Args::command();
    program.build();
    let Some(folder) = &args.out else {
        let page = rendered(program)?;
        let page = String::from_utf8_lossy(&page);
        output.result(&page, &json!({ "page": page }))?;
        return Ok(Outcome::Done);
    };
    fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
    let mut names = vec![];
    write(&program, "deepnmf", folder, &mut names)?;
    let text = format!("wrote {} pages to {}\n", names.len(), folder.display());
    output.result(&text, &json!({ "pages": names, "out": folder }))?;
    Ok(Outcome::Done)
}

/// Writes the page of a command and those of its own commands.
fn write(command: &Command, name: &str, folder: &Path, names: &mut Vec<String>) -> Result<()> {
    let page = rendered(command.clone().display_name(name.to_owned()))?;
    let file = format!("{name}.1");
    write_atomically(&folder.join(&file), |to| to.write_all(&page))?;
    names.push(file);
    for own in command.get_subcommands().filter(|own| own.get_name() != "help") {
        write(own, &format!("{name}-{}", own.get_name()), folder, names)?;
    }
    Ok(())
}

fn rendered(command: Command) -> Result<Vec<u8>> {
    let mut page = vec![];
    Man::new(command).render(&mut page)?;
    Ok(page)
}
