/**
 * The identity of the local control plane: CA, serving certificate, admin token and installation id, created
 * once.
 */
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createAuthority, issue, type Pem } from '../adapters/pki/certificates.ts';
import type { Random } from '../machinery/ports.ts';
import { storedFormat, unrecordedFormat } from '../machinery/store/format.ts';

const year = 365;

export interface Credentials {
  /** Tags every cloud resource; stays the same when the objects are lost. */
  installation: string;
  authority: Pem;
  serving: Pem;
  token: string;
  port?: number;
  /** The stored format of the directory. */
  format?: number;
  /** How many times a control plane has started in this directory. */
  starts?: number;
}

/** Readable only by its owner, and written atomically even if the power fails. */
const writePrivate = (path: string, text: string): void => {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
};

const make = (random: Random, now: number): Credentials => {
  const authority = createAuthority({
    subject: { commonName: 'capstan-authority' },
    days: 10 * year,
    algorithm: 'ECDSA-P256',
    now,
  });
  const serving = issue({
    subject: { commonName: 'capstan' },
    sans: ['127.0.0.1', 'localhost'],
    usages: ['server'],
    ca: authority,
    days: 10 * year,
    now,
    algorithm: 'ECDSA-P256',
  });
  return {
    installation: random.uuid(),
    authority,
    serving,
    token: Buffer.from(random.bytes(24)).toString('base64url'),
  };
};

const file = (directory: string) => join(directory, 'credentials.json');

export const saveCredentials = (directory: string, credentials: Credentials): void =>
  writePrivate(file(directory), `${JSON.stringify(credentials, null, 2)}\n`);

const storedIn = (directory: string): Credentials | undefined =>
  existsSync(file(directory)) ? (JSON.parse(readFileSync(file(directory), 'utf8')) as Credentials) : undefined;

/** Throws if a newer version of Capstan used the directory and left what this one cannot read. */
export const expectReadable = (directory: string): void => {
  const { format = unrecordedFormat } = storedIn(directory) ?? {};
  if (format <= storedFormat) return;
  throw new Error(
    `a newer version of Capstan wrote it, in stored format ${format}, and this one reads format ${storedFormat}; start the newer version, or choose another directory with --data`,
  );
};

/** `now` in milliseconds. */
export const loadCredentials = (directory: string, random: Random, now: number): Credentials => {
  const stored = storedIn(directory);
  if (stored) return stored;
  const credentials = make(random, now);
  saveCredentials(directory, credentials);
  return credentials;
};

/** Path of the kubeconfig in a data directory. */
export const kubeconfigOf = (directory: string): string => join(directory, 'kubeconfig');

/** A kubeconfig with the token inline and its one context current. */
export const writeKubeconfig = (path: string, { authority, token }: Credentials, port: number): void => {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'capstan',
        cluster: {
          server: `https://127.0.0.1:${port}`,
          'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
        },
      },
    ],
    users: [{ name: 'capstan-admin', user: { token } }],
    contexts: [{ name: 'capstan', context: { cluster: 'capstan', user: 'capstan-admin', namespace: 'default' } }],
    'current-context': 'capstan',
  };
  writePrivate(path, stringify(config));
};
