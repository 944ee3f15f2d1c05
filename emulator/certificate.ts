/** The CA of the TLS front, kept so that a kubeconfig survives restarts. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority, issue } from '../adapters/pki/index.ts';

export interface Certificates {
  ca: string;
  /** The CA's PEM file. */
  caFile: string;
  certificate: string;
  key: string;
}

const algorithm = 'ECDSA-P256';
const days = 3650;

export const ensureCertificates = async (folder: string): Promise<Certificates> => {
  const file = join(folder, 'tls.json');
  const caFile = join(folder, 'ca.pem');
  if (existsSync(file)) return JSON.parse(await readFile(file, 'utf8')) as Certificates;
  const now = Date.now();
  const authority = createAuthority({ subject: { commonName: 'capstan-emulator-authority' }, days, algorithm, now });
  const { certificate, key } = issue({
    subject: { commonName: 'capstan-emulator' },
    sans: ['127.0.0.1', 'localhost'],
    usages: ['server'],
    ca: authority,
    days,
    now,
    algorithm,
  });
  const made = { ca: authority.certificate, caFile, certificate, key };
  await writeFile(caFile, authority.certificate);
  await writeFile(file, JSON.stringify(made), { mode: 0o600 });
  return made;
};
