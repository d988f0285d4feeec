//! Serves the explorer: `cargo run -p cutlet-explorer --example serve -- 7326`.

fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let explorer = explorer::Explorer::bind(port)?;
    println!("{}", explorer.url());
    explorer.serve();
    Ok(())
}
