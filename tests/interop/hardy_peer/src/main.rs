// SPDX-License-Identifier: Apache-2.0
// A DTN node of the hardy crates: TCPCLv4, BPv7, an echo service, one route for everything else.
// The tests start it as a process of its own; it runs until SIGTERM or SIGINT.
use std::{
    env, error::Error, net::SocketAddr, path::PathBuf, process::exit, sync::Arc, time::Duration,
};

use hardy_bpa::{
    bpa::{Bpa, BpaRegistration},
    node_ids::NodeIds,
    routing::{RouteAction, StaticRoutingAgent},
};
use hardy_bpv7::eid::{Eid, NodeId, Service};
use hardy_echo_service::EchoService;
use hardy_tcpclv4::{Cla, config};
use tokio::signal::unix::{SignalKind, signal};

mod bpsec;

const USAGE: &str = "\
hardy-peer --node EID [OPTION VALUE...]
  --node EID          node id: ipn:2.0, ipn:977000.2.0, dtn://hardy/
  --via EID           node id of the next hop for every bundle that is not for this node
  --listen ADDRESS    accepts TCPCLv4 sessions: 127.0.0.1:4556
  --connect ADDRESS   opens a TCPCLv4 session, repeatedly until there is one
  --echo SERVICE      service number of the echo [2047]
  --segment-mru SIZE  largest segment taken, bytes [16384]
  --cert FILE         PEM certificate, and
  --key FILE          its PKCS #8 key: TLS as a server
  --ca FOLDER         authorities that a server's certificate must come from: TLS as a client
  --server-name NAME  the name that the server's certificate must have
  --tls required      no session without TLS";

#[derive(Default)]
struct Options {
    node: Option<NodeId>,
    via: Option<Eid>,
    connect: Option<SocketAddr>,
    echo: Option<u32>,
    cla: config::Config,
}

fn parse_options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options::default();
    options.cla.address = None;
    let mut tls = config::TlsConfig::default();
    let mut arguments = env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} has no value"))?;
        match name.as_str() {
            "--node" => options.node = Some(value.parse()?),
            "--via" => options.via = Some(value.parse()?),
            "--listen" => options.cla.address = Some(value.parse()?),
            "--connect" => options.connect = Some(value.parse()?),
            "--echo" => options.echo = Some(value.parse()?),
            "--segment-mru" => options.cla.segment_mru = value.parse()?,
            "--cert" => tls.cert_file = Some(PathBuf::from(value)),
            "--key" => tls.private_key_file = Some(PathBuf::from(value)),
            "--ca" => tls.ca_certs = Some(PathBuf::from(value)),
            "--server-name" => tls.server_name = Some(value),
            "--tls" => options.cla.session_defaults.require_tls = value == "required",
            _ => return Err(format!("no option {name}").into()),
        }
    }
    // The crate makes a TLS client of every node that has TLS, and a client needs authorities.
    options.cla.tls = tls.ca_certs.is_some().then_some(tls);
    Ok(options)
}

async fn run(options: Options) -> Result<(), Box<dyn Error + Send + Sync>> {
    let node = options.node.ok_or("--node is missing")?;
    let routes: Vec<_> = match options.via {
        Some(next_hop) => vec![("*:**".parse()?, RouteAction::Via(next_hop), 100)],
        None => Vec::new(),
    };
    let cla = Arc::new(Cla::new(&options.cla)?);
    let bpa: Bpa = Bpa::builder()
        .node_ids(NodeIds::try_from(&[node][..])?)
        .routing_agent("everything", Arc::new(StaticRoutingAgent::new(&routes)))
        .service(
            Arc::new(EchoService::new()),
            Service::Ipn(options.echo.unwrap_or(2047)),
        )
        .build()
        .await?;
    bpa.start(false);
    bpa.register_cla("tcpclv4".into(), cla.clone(), None).await?;

    let mut terminate = signal(SignalKind::terminate())?;
    let connecting = async {
        while let Some(peer) = options.connect {
            match cla.connect(&peer).await {
                Ok(()) => break,
                Err(error) => eprintln!("not connected to {peer}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        std::future::pending::<()>().await
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
        () = connecting => {}
    }
    bpa.shutdown().await;
    Ok(())
}

fn run_bpsec(verb: &str) {
    if let Err(error) = bpsec::run(verb, env::args().skip(2)) {
        eprintln!("{error}");
        exit(1)
    }
}

#[tokio::main]
async fn main() {
    if let Some(verb @ ("open" | "seal")) = env::args().nth(1).as_deref() {
        return run_bpsec(verb);
    }
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    let options = parse_options().unwrap_or_else(|error| {
        eprintln!("{error}\n\n{USAGE}\n{}", bpsec::USAGE);
        exit(2)
    });
    if let Err(error) = run(options).await {
        eprintln!("{error}");
        exit(1)
    }
}
