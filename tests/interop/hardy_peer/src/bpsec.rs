// SPDX-License-Identifier: Apache-2.0
// BPSec of the hardy crates without a node: bundles from standard input to standard output.
use std::{
    error::Error,
    io::{Read, Write, stdin, stdout},
};

use hardy_bpv7::{
    bpsec::{
        encryptor::{self, Encryptor},
        key::{EncAlgorithm, Key, KeyAlgorithm, KeySet, Operation, Type},
        rfc9173::ScopeFlags,
        signer::{self, Signer},
    },
    builder::Builder,
    bundle::ParsedBundle,
    creation_timestamp::CreationTimestamp,
    eid::Eid,
};

pub const USAGE: &str = "\
hardy-peer open [OPTION VALUE...]   a bundle, verified and decrypted: its payload
hardy-peer seal [OPTION VALUE...]   a payload: a bundle, signed and encrypted
  --from EID, --to EID          of the bundle, for seal
  --sign ALGORITHM:KEY          HS256, HS384 or HS512, and the key in hexadecimal
  --encrypt ALGORITHM:KEY       A128GCM or A256GCM";

type Failure = Box<dyn Error + Send + Sync>;

const PRIMARY: u64 = 0;
const PAYLOAD: u64 = 1;

#[derive(Default)]
struct Options {
    from: Option<Eid>,
    to: Option<Eid>,
    sign: Option<Key>,
    encrypt: Option<Key>,
}

fn octets(hex: &str) -> Result<Box<[u8]>, Failure> {
    let pairs = (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16));
    Ok(pairs.collect::<Result<Vec<u8>, _>>()?.into_boxed_slice())
}

fn key(text: &str) -> Result<Key, Failure> {
    let (algorithm, hex) = text.split_once(':').ok_or("expected ALGORITHM:KEY")?;
    let signs = [Operation::Sign, Operation::Verify];
    let encrypts = [Operation::Encrypt, Operation::Decrypt];
    let (key_algorithm, enc_algorithm, operations) = match algorithm {
        "HS256" => (Some(KeyAlgorithm::HS256), None, signs),
        "HS384" => (Some(KeyAlgorithm::HS384), None, signs),
        "HS512" => (Some(KeyAlgorithm::HS512), None, signs),
        "A128GCM" => (None, Some(EncAlgorithm::A128GCM), encrypts),
        "A256GCM" => (None, Some(EncAlgorithm::A256GCM), encrypts),
        _ => return Err(format!("no algorithm {algorithm}").into()),
    };
    Ok(Key {
        key_type: Type::OctetSequence { key: octets(hex)? },
        key_algorithm,
        enc_algorithm,
        operations: Some(operations.into_iter().collect()),
        ..Key::default()
    })
}

fn parse_options(arguments: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let mut options = Options::default();
    let mut arguments = arguments;
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or(format!("{name} has no value"))?;
        match name.as_str() {
            "--from" => options.from = Some(value.parse()?),
            "--to" => options.to = Some(value.parse()?),
            "--sign" => options.sign = Some(key(&value)?),
            "--encrypt" => options.encrypt = Some(key(&value)?),
            _ => return Err(format!("no option {name}").into()),
        }
    }
    Ok(options)
}

fn open(options: &Options, data: &[u8]) -> Result<Vec<u8>, Failure> {
    let keys = KeySet::new(
        options
            .sign
            .iter()
            .chain(&options.encrypt)
            .cloned()
            .collect(),
    );
    let bundle = ParsedBundle::parse_with_keys(data, &keys)?.bundle;
    if options.sign.is_some() {
        for target in [PRIMARY, PAYLOAD] {
            if !bundle.verify_block(target, data, &keys)? {
                return Err(format!("block {target} is not signed").into());
            }
        }
    }
    if options.encrypt.is_some() {
        return Ok(bundle
            .decrypt_block_data(PAYLOAD, data, &keys)?
            .as_ref()
            .to_vec());
    }
    Ok(bundle.block_data(PAYLOAD, data, &keys)?.as_ref().to_vec())
}

// The crate encrypts a whole signature block, so with --encrypt only the payload is signed.
fn seal(options: &Options, payload: &[u8]) -> Result<Vec<u8>, Failure> {
    let source = options.from.clone().ok_or("--from is missing")?;
    let to = options.to.clone().ok_or("--to is missing")?;
    let (mut bundle, mut data) = Builder::new(source.clone(), to)
        .with_payload(payload.into())
        .build(CreationTimestamp::now())?;
    if let Some(key) = &options.sign {
        let targets: &[u64] = if options.encrypt.is_some() {
            &[PAYLOAD]
        } else {
            &[PRIMARY, PAYLOAD]
        };
        let mut signer = Signer::new(&bundle, &data);
        for &target in targets {
            let context = signer::Context::HMAC_SHA2(ScopeFlags::default());
            signer = signer
                .sign_block(target, context, source.clone(), key)
                .map_err(|(_, error)| error)?;
        }
        (bundle, data) = signer.rebuild_bundle()?;
    }
    if let Some(key) = &options.encrypt {
        let context = encryptor::Context::AES_GCM(ScopeFlags::default());
        data = Encryptor::new(&bundle, &data)
            .encrypt_block(PAYLOAD, context, source, key)
            .map_err(|(_, error)| error)?
            .rebuild()?;
    }
    Ok(data.into_vec())
}

pub fn run(verb: &str, arguments: impl Iterator<Item = String>) -> Result<(), Failure> {
    let options = parse_options(arguments)?;
    let mut input = Vec::new();
    stdin().read_to_end(&mut input)?;
    let output = if verb == "open" {
        open(&options, &input)?
    } else {
        seal(&options, &input)?
    };
    stdout().write_all(&output)?;
    Ok(())
}
