/** A stock Helm pushes a chart to a registry, from which an add-on reads and renders it. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../../adapters/sources/download.ts';
import { sourcesPort } from '../../adapters/sources/index.ts';
import { openRegistry, type Registry } from '../../adapters/sources/registry.fixture.ts';
import type { Sourced } from '../../kinds/ports/sources.ts';
import { onPath } from './support/on-path.ts';

// `go install helm.sh/helm/v3/cmd/helm@latest` builds one.
const binary = process.env.HELM ?? onPath('helm');

describe.skipIf(!binary)('a stock Helm', () => {
  let registry: Registry;
  let directory: string;
  beforeAll(async () => {
    registry = await openRegistry();
    directory = mkdtempSync(join(tmpdir(), 'capstan-charts-'));
    writeFileSync(join(directory, 'ca.pem'), registry.ca);
  });
  afterAll(() => {
    registry?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  // The registry runs in this process, so Helm must not block it.
  const helm = (...args: string[]) =>
    new Promise<string>((resolve, reject) =>
      execFile(binary!, args, { cwd: directory, env: { HOME: directory } }, (error, stdout, stderr) =>
        error ? reject(new Error(stderr)) : resolve(`${stdout}${stderr}`),
      ),
    );
  const chart = (metadata: string) => {
    mkdirSync(join(directory, 'shop', 'templates'), { recursive: true });
    mkdirSync(join(directory, 'shop', 'crds'), { recursive: true });
    const write = (path: string, text: string) => writeFileSync(join(directory, 'shop', path), text);
    write('Chart.yaml', `apiVersion: v2\nname: shop\nversion: 1.2.3\n${metadata}`);
    write('values.yaml', 'color: red\n');
    write(
      'crds/one.yaml',
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n',
    );
    write(
      'templates/all.yaml',
      `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
data:
  color: {{ .Values.color | upper | quote }}
  version: {{ .Capabilities.KubeVersion.Version }}
  {{- if semverCompare ">=1.35-0" .Capabilities.KubeVersion.Version }}
  new: "true"
  {{- end }}
`,
    );
    return helm('package', 'shop');
  };
  const ask = (repoURL: string, digest: string) =>
    sourcesPort({ allowsLocal: true, path: [dirname(binary!), process.env.PATH].join(delimiter) }).read!('Chart', {
      repoURL,
      chartName: 'shop',
      version: '1.2.3',
      digest,
      caBundle: registry.caBundle,
      releaseName: 'mine',
      namespace: 'web',
      values: { color: 'blue' },
      kubernetesVersion: 'v1.35.0',
    }) as Promise<Sourced>;
  const rendered = [/kind: CustomResourceDefinition/, /name: mine\n +namespace: web/, /color: "BLUE"/, /new: "true"/];

  it('pushes a chart, whose digest pins it', async () => {
    await chart('');
    registry.setToken(false);
    const pushed = await helm('push', 'shop-1.2.3.tgz', `oci://${registry.host}/charts`, '--ca-file', 'ca.pem');
    registry.setToken(true);
    const digest = /Digest: (sha256:[0-9a-f]{64})/.exec(pushed)?.[1];
    const { text } = await ask(`oci://${registry.host}/charts`, digest!);
    for (const part of rendered) expect(text).toMatch(part);
  });

  it('makes the index of a repository', async () => {
    await chart('');
    execFileSync(binary!, ['repo', 'index', '.'], { cwd: directory, env: { HOME: directory } });
    const archive = readFileSync(join(directory, 'shop-1.2.3.tgz'));
    registry.put('/charts/index.yaml', readFileSync(join(directory, 'index.yaml')));
    registry.put('/charts/shop-1.2.3.tgz', archive);
    const { text } = await ask(`${registry.base}/charts`, sha256Of(archive));
    for (const part of rendered) expect(text).toMatch(part);
  });

  it('says what is wrong with a chart', async () => {
    await chart('kubeVersion: ">=1.99.0"\n');
    const digest = registry.putChart('charts/shop', '1.2.3', readFileSync(join(directory, 'shop-1.2.3.tgz')));
    expect(await ask(`oci://${registry.host}/charts`, digest)).toMatchObject({
      failed: 'ChartInvalid',
      message: expect.stringContaining('which is incompatible with Kubernetes v1.35.0'),
    });
  });
});
