/** Stock kubectl gives a team its namespace, as docs/access.md says. */
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
  const ann = ['--as=ann', '--as-group=team-a'];

  it('runs the page', () => {
    kubectl('delete', 'namespace', 'team-a', '--ignore-not-found');
    const printed = commandsUnder('access.md', 'A team and its namespace').map((command) => ok(...command));
    expect(printed.filter((text) => text === 'yes\n')).toHaveLength(2);
    expect(printed.join('')).toMatch(/^clusters\.cluster\.x-k8s\.io|kubeadmcontrolplanes/m);
    expect(kubectl('get', 'clusters', '-n', 'default', ...ann).stderr).toContain(
      'Error from server (Forbidden): clusters.cluster.x-k8s.io is forbidden: User "ann" cannot list resource "clusters" in API group "cluster.x-k8s.io" in the namespace "default"',
    );
    expect(
      commandsUnder('access.md', 'Quotas')
        .map((command) => ok(...command))
        .at(-1),
    ).toMatch(/^secrets +\d+ +200$/m);
    for (const command of commandsUnder('access.md', 'Taking a right back')) ok(...command);
    expect(kubectl('auth', 'can-i', 'list', 'secrets', '-n', 'team-a', ...ann)).toMatchObject({
      code: 1,
      stdout: 'no\n',
    });
  });

  it('shows identities, roles and bindings', () => {
    expect(ok('auth', 'whoami')).toContain('capstan-admin');
    expect(ok('get', 'clusterroles')).toMatch(/^NAME +CREATED AT\n.*^view +20\d\d-\d\d-\d\dT/ms);
    expect(ok('get', 'clusterrolebindings', '-o', 'wide')).toMatch(
      /^NAME +ROLE +AGE +USERS +GROUPS +SERVICEACCOUNTS\n/,
    );
    expect(ok('describe', 'clusterrole', 'system:auth-delegator')).toMatch(
      /tokenreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]/,
    );
    expect(ok('describe', 'clusterrolebinding', 'cluster-admin')).toMatch(/Group +system:masters/);
  });

  it('creates and reconciles roles', () => {
    const role = (verb: string) =>
      ok(
        'create',
        'clusterrole',
        'reconciled',
        `--verb=${verb}`,
        '--resource=configmaps',
        '--dry-run=client',
        '-o',
        'yaml',
      );
    const reconcile = (yaml: string) => kubectl.withInput(yaml, 'auth', 'reconcile', '-f', '-');
    kubectl('delete', 'clusterrole', 'reconciled', '--ignore-not-found');
    expect(reconcile(role('get')).stdout).toContain('reconciled');
    expect(reconcile(role('list')).code).toBe(0);
    expect(ok('get', 'clusterrole', 'reconciled', '-o', 'jsonpath={.rules[*].verbs[*]}')).toBe('get list');
    ok('create', 'clusterrole', 'paths', '--verb=get', '--non-resource-url=/x/*', '--dry-run=server');
    ok('create', 'clusterrole', 'joined', '--aggregation-rule=a=b', '--dry-run=server');
    ok('create', 'clusterrolebinding', 'x', '--clusterrole=view', '--serviceaccount=default:a', '--dry-run=server');
    expect(kubectl('create', 'role', 'r', '--verb=get', '--resource=nonsense').code).toBe(1);
  });
});
