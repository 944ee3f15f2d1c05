/** Stock kubectl makes a ServiceAccount and acts with its token, as docs/access.md says. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from './support/control-plane.ts';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';
import { commandsUnder } from './support/page.ts';

const binaries = findKubectls();
let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane();
});
afterAll(() => controlPlane?.end());

describe.each(binaries)('%s', (binary) => {
  let kubectl: Kubectl;
  beforeAll(() => {
    kubectl = kubectlWith(binary, controlPlane.kubeconfig, controlPlane.directory);
  });
  const ok = (...args: string[]): string => {
    const { code, stdout, stderr } = kubectl(...args);
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  /** Another token than the kubeconfig's takes its user's place. */
  const server = () => kubectl('config', 'view', '--minify', '-o', 'jsonpath={.clusters[0].cluster.server}').stdout;
  const withToken =
    (token: string) =>
    (...args: string[]) =>
      kubectl(
        '--kubeconfig=/dev/null',
        `--server=${server()}`,
        '--insecure-skip-tls-verify',
        `--token=${token}`,
        ...args,
      );

  it('runs the page', () => {
    kubectl('delete', 'namespace', 'team-a', '--ignore-not-found');
    ok('create', 'namespace', 'team-a');
    const printed = commandsUnder('access.md', 'ServiceAccounts').map((command) => ok(...command));
    expect(printed).toContain('yes\n');
    const robot = withToken(printed.at(-1)!.trim());
    const minor = Number(/v1\.(\d+)/.exec(ok('version', '--client'))![1]);
    if (minor >= 27)
      expect(robot('auth', 'whoami').stdout).toMatch(/Username +system:serviceaccount:team-a:deployer\n/);
    expect(robot('create', 'configmap', 'made', '-n', 'team-a')).toMatchObject({ code: 0 });
    expect(robot('get', 'configmaps', '-n', 'default').stderr).toContain(
      'User "system:serviceaccount:team-a:deployer" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
    ok('delete', 'serviceaccount', 'deployer', '-n', 'team-a');
    expect(robot('get', 'configmaps', '-n', 'team-a').stderr).toMatch(/Unauthorized|must be logged in/);
  });

  it('finds the account of each namespace', async () => {
    kubectl('create', 'namespace', 'team-b');
    await expect
      .poll(() => kubectl('get', 'serviceaccounts', '-n', 'team-b').stdout, { timeout: 20_000 })
      .toMatch(/^NAME +SECRETS +AGE\ndefault +0 +\d/);
    ok('delete', 'serviceaccount', 'default', '-n', 'team-b');
    await expect
      .poll(() => kubectl('get', 'sa', 'default', '-n', 'team-b', '-o', 'name').stdout, { timeout: 20_000 })
      .toBe('serviceaccount/default\n');
    expect(ok('describe', 'serviceaccount', 'default', '-n', 'team-b')).toContain('Name:                default');
  });

  it('reads the token of a Secret', () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'filled', annotations: { 'kubernetes.io/service-account.name': 'pipeline' } },
      type: 'kubernetes.io/service-account-token',
    };
    kubectl('delete', 'secret/filled', 'serviceaccount/pipeline', '--ignore-not-found');
    expect(kubectl.withInput(JSON.stringify(secret), 'apply', '-f', '-').stderr).toContain('does not exist');
    ok('create', 'serviceaccount', 'pipeline');
    expect(kubectl.withInput(JSON.stringify(secret), 'apply', '-f', '-').code).toBe(0);
    const dataOf = (key: string) =>
      Buffer.from(ok('get', 'secret', 'filled', '-o', `jsonpath={.data.${key}}`), 'base64').toString();
    expect(dataOf('ca\\.crt')).toMatch(/^-----BEGIN CERTIFICATE-----/);
    const pipeline = withToken(dataOf('token'));
    expect(pipeline('auth', 'can-i', 'list', 'secrets')).toMatchObject({ stdout: 'no\n' });
    ok('delete', 'secret', 'filled');
    expect(pipeline('auth', 'can-i', 'list', 'secrets').stderr).toMatch(/Unauthorized|must be logged in/);
  });
});
