import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureCertificates } from './certificate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-certificate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is trusted by clients that trust the authority, including OpenSSL, which treats equal subject and issuer as self-signed', async () => {
  const { ca, certificate: cert, key } = await ensureCertificates(folder);
  const server = createServer({ cert, key }, (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const asked = new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: address.port, ca, agent: false }, resolve).on('error', reject);
  });
  await expect(asked).resolves.toMatchObject({ statusCode: 200 });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('is kept across restarts', async () => {
  expect(await ensureCertificates(folder)).toEqual(await ensureCertificates(folder));
});
