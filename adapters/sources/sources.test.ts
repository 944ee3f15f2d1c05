import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sourced } from '../../kinds/ports/sources.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { sha256Of } from './download.ts';
import { helmRenderer } from './helm.ts';
import { sourcesPort } from './index.ts';
import { openRegistry, type Registry } from './registry.fixture.ts';

let registry: Registry;
beforeAll(async () => {
  registry = await openRegistry();
});
afterAll(() => registry.close());
beforeEach(() => {
  registry.faults.clear();
  registry.contents.clear();
  registry.asked.length = 0;
  registry.setToken(true);
});

const archive = Buffer.from('the archive of a chart');
const rendered = async (bytes: Buffer, release: object) => `${bytes} of ${JSON.stringify(release)}`;
const port = (more: object = {}) =>
  sourcesPort({ allowsLocal: true, longest: 1024, timeout: 20_000, render: rendered, ...more });
const ask = (operation: string, input: JsonObject, more: object = {}) =>
  port(more).read!(operation, input) as Promise<Sourced>;

const release = { releaseName: 'shop', namespace: 'web', values: { a: 1 }, kubernetesVersion: 'v1.35.0' };
const chart = (more: JsonObject = {}): JsonObject => ({
  repoURL: `oci://${registry.host}/charts`,
  chartName: 'shop',
  version: '1.2.3',
  digest: registry.putChart('charts/shop', '1.2.3', archive),
  caBundle: registry.caBundle,
  ...release,
  ...more,
});
const inRepository = (more: JsonObject = {}): JsonObject => {
  const digest = registry.put('/charts/files/shop-1.2.3.tgz', archive);
  const index = { apiVersion: 'v1', entries: { shop: [{ version: '1.2.3', urls: ['files/shop-1.2.3.tgz'], digest }] } };
  registry.put('/charts/index.yaml', Buffer.from(JSON.stringify(index)));
  return chart({ repoURL: `${registry.base}/charts`, digest, ...more });
};
const file = (more: JsonObject = {}): JsonObject => ({
  url: `${registry.base}/crds.yaml`,
  digest: registry.put('/crds.yaml', Buffer.from('kind: List')),
  caBundle: registry.caBundle,
  ...more,
});

describe('a chart of a registry', () => {
  it('is read by its digest with a token for anonymous clients, from where the registry keeps it', async () => {
    const answer = await ask('Chart', chart());
    expect(answer).toMatchObject({ text: expect.stringContaining('the archive of a chart of {') });
    expect(answer.text).toContain('"releaseName":"shop"');
    expect(registry.asked.map((one) => one.replace(/sha256:.*/, 'D'))).toEqual([
      'GET /v2/charts/shop/manifests/D',
      'GET /token',
      'GET /v2/charts/shop/manifests/D',
      'GET /v2/charts/shop/blobs/D',
      'GET /storage/D',
      'storage: true',
    ]);
  });

  it('is downloaded once in a process', async () => {
    const shared = port();
    const source = chart();
    await shared.read!('Chart', source);
    const before = registry.asked.length;
    expect(await shared.read!('Chart', source)).toHaveProperty('text');
    expect(registry.asked.length).toBe(before);
  });

  it.each([
    { rule: 'is gone', of: { digest: `sha256:${'0'.repeat(64)}` }, fault: 'SourceNotFound', says: 'the status 404' },
    { rule: 'needs credentials', of: {}, fault: 'SourceForbidden', says: 'the status 403', status: 403 },
    { rule: 'is not answered', of: {}, fault: 'SourceUnavailable', says: 'no answer within 0.2 seconds', status: 0 },
    { rule: 'meets a broken registry', of: {}, fault: 'SourceUnavailable', says: 'the status 503', status: 503 },
    { rule: 'is another version', of: { version: '2.0.0' }, fault: 'DigestMismatch', says: 'is version 1.2.3' },
    {
      rule: 'is of an unknown authority',
      of: { caBundle: undefined },
      fault: 'SourceUnavailable',
      says: 'certificate',
    },
  ])('that $rule is reported', async ({ of, fault, says, status }) => {
    if (status !== undefined) registry.faults.set('/manifests/', status);
    const answer = await ask('Chart', chart(of as JsonObject), status === 0 ? { timeout: 200 } : {});
    expect(answer).toMatchObject({ failed: fault, message: expect.stringContaining(says) });
    expect(answer.failed && answer.message).toContain('charts/shop');
  });

  it('that is too large is not downloaded', async () => {
    const digest = registry.putChart('charts/shop', '1.2.3', Buffer.alloc(2048));
    expect(await ask('Chart', chart({ digest }))).toMatchObject({
      failed: 'SourceTooLarge',
      message: expect.stringContaining('is larger than 1 KiB'),
    });
    expect(registry.asked.some((one) => one.includes('/blobs/'))).toBe(false);
  });

  it('that is no chart is reported', async () => {
    const digest = registry.putChart('charts/shop', '1.2.3', archive, 'application/vnd.oci.image.layer.v1.tar+gzip');
    expect(await ask('Chart', chart({ digest }))).toMatchObject({ failed: 'ChartInvalid' });
  });

  it('whose archive was replaced is refused', async () => {
    const source = chart();
    registry.put(`/v2/charts/shop/blobs/${sha256Of(archive)}`, Buffer.from('another'));
    expect(await ask('Chart', source)).toMatchObject({ failed: 'DigestMismatch' });
  });
});

describe('a chart of a repository', () => {
  it('is found in the index', async () => {
    expect(await ask('Chart', inRepository())).toMatchObject({ text: expect.stringContaining('the archive') });
  });
  it.each([
    { of: { chartName: 'none' }, fault: 'SourceNotFound', says: 'has no chart none' },
    { of: { version: '9.9.9' }, fault: 'SourceNotFound', says: 'no version 9.9.9 of chart shop' },
    { of: { digest: `sha256:${'0'.repeat(64)}` }, fault: 'DigestMismatch', says: 'not sha256:000' },
  ])('$says', async ({ of, fault, says }) => {
    expect(await ask('Chart', inRepository(of))).toMatchObject({
      failed: fault,
      message: expect.stringContaining(says),
    });
  });
});

describe('a file', () => {
  it('is read as text', async () => {
    expect(await ask('File', file())).toEqual({ text: 'kind: List' });
  });
  it('that changed is refused, with the digest that it has', async () => {
    const source = file();
    const actual = registry.put('/crds.yaml', Buffer.from('another'));
    expect(await ask('File', source)).toMatchObject({
      failed: 'DigestMismatch',
      message: expect.stringContaining(actual),
    });
  });
  it('without an end is not read to it', async () => {
    const source = file();
    registry.put('/crds.yaml', Buffer.alloc(2048));
    expect(await ask('File', source)).toMatchObject({ failed: 'SourceTooLarge' });
  });
  it('on the host itself is not read from a deployment', async () => {
    expect(await ask('File', file(), { allowsLocal: false })).toMatchObject({
      failed: 'SourceUnavailable',
      message: expect.stringContaining('may not use the address 127.0.0.1'),
    });
  });
});

describe('Helm', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'capstan-helm-'));
  });
  afterAll(() => rm(directory, { recursive: true }));
  const asHelm = async (script: string) => {
    await writeFile(join(directory, 'helm'), `#!/bin/sh\n${script}\n`);
    await chmod(join(directory, 'helm'), 0o755);
    return helmRenderer({ path: `${directory}:/usr/bin:/bin`, longest: 1024, timeout: 20_000 });
  };

  it('gets the archive, the release and the version of the cluster, and no credentials', async () => {
    process.env.AWS_SECRET_ACCESS_KEY = 'secret';
    const render = await asHelm('echo "$@"; echo "key=$AWS_SECRET_ACCESS_KEY"; cat values.json');
    const text = await render(archive, release);
    delete process.env.AWS_SECRET_ACCESS_KEY;
    expect(text).toMatch(/^template shop \S+chart\.tgz --namespace web --kube-version v1\.35\.0 --values \S+ /);
    expect(text).toContain('key=\n{"a":1}');
  });
  it.each([
    { script: 'echo "Error: no such value" >&2; exit 1', fault: 'ChartInvalid', says: 'no such value' },
    { script: 'head -c 4096 /dev/zero', fault: 'SourceTooLarge', says: 'larger than 1 KiB' },
  ])('that fails is reported: $says', async ({ script, fault, says }) => {
    const render = await asHelm(script);
    expect(await ask('Chart', chart(), { render })).toMatchObject({
      failed: fault,
      message: expect.stringContaining(says),
    });
  });
  it('that is absent is reported', async () => {
    const render = helmRenderer({ path: '/nowhere', longest: 1024 });
    expect(await ask('Chart', chart(), { render })).toMatchObject({ failed: 'HelmNotFound' });
  });
});
