/** What users do with kubectl in a workload cluster that was booted from user data, and what they must see. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectls, type Kubectl, kubectlWith } from './support/kubectl.ts';

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
          },
        },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  },
};

describe.each(findKubectls().map((path) => ({ path, name: basename(path) })))('$name', ({ path }) => {
  const directory = mkdtempSync(join(tmpdir(), 'workload-'));
  let child: ChildProcess;
  let kubectl: Kubectl;
  const ok = (...args: string[]): string => {
    const { code, stdout, stderr } = kubectl(...args);
    expect({ code, stderr: code === 0 ? '' : stderr, args }).toEqual({ code: 0, stderr: '', args });
    return stdout;
  };
  const apply = (document: object): string => {
    const { code, stdout, stderr } = kubectl.withInput(JSON.stringify(document), 'apply', '-f', '-');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };

  beforeAll(async () => {
    child = spawn(process.execPath, [join(import.meta.dirname, 'support', 'workload-child.ts'), directory]);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      child.stderr?.on('data', (chunk: Buffer) => reject(new Error(chunk.toString())));
      child.once('exit', (code) => reject(new Error(`the cluster ended with ${code}`)));
    });
    kubectl = kubectlWith(path, join(directory, 'kubeconfig'), directory);
    ok('create', 'namespace', 'demo');
  });
  afterAll(() => {
    child.kill();
    rmSync(directory, { recursive: true });
  });

  it('shows the version and the nodes', () => {
    expect(JSON.parse(ok('version', '-o', 'json'))).toMatchObject({ serverVersion: { gitVersion: 'v1.35.0' } });
    const nodes = ok('get', 'nodes', '--no-headers').trim().split('\n');
    expect(nodes).toHaveLength(3);
    expect(nodes[0]).toMatch(/^ip-10-0-0-10\.ec2\.internal\s+Ready\s+control-plane\s+\d+s\s+v1\.35\.0$/);
    expect(ok('describe', 'node', 'ip-10-0-0-11.ec2.internal')).toContain(
      'ProviderID:                   aws:///us-east-1a/i-1',
    );
  });

  it("refuses another cluster's certificate", () => {
    const { code, stderr } = kubectlWith(path, join(directory, 'stranger'), directory)('get', 'nodes');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Unauthorized|must be logged in|provide credentials/);
  });

  it('creates a deployment, rolls it out, rolls it back and scales it', () => {
    ok('-n', 'demo', 'create', 'deployment', 'web', '--image=nginx:1.25', '--replicas=3');
    ok('-n', 'demo', 'rollout', 'status', 'deployment/web', '--timeout=240s');
    ok('-n', 'demo', 'set', 'image', 'deployment/web', 'nginx=nginx:1.27');
    ok('-n', 'demo', 'rollout', 'status', 'deployment/web', '--timeout=240s');
    expect(ok('-n', 'demo', 'get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[*].image}')).toContain(
      'nginx:1.27',
    );
    ok('-n', 'demo', 'rollout', 'undo', 'deployment/web');
    ok('-n', 'demo', 'rollout', 'status', 'deployment/web', '--timeout=240s');
    ok('-n', 'demo', 'scale', 'deployment/web', '--replicas=2');
    ok('-n', 'demo', 'wait', '--for=jsonpath={.status.replicas}=2', 'deployment/web', '--timeout=240s');
    expect(ok('-n', 'demo', 'get', 'deployment', 'web', '--no-headers')).toMatch(/^web\s+2\/2\s+2\s+2\s/);
  });

  it('drains a node as far as a disruption budget allows', () => {
    ok('-n', 'demo', 'create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=1');
    ok(
      '-n',
      'demo',
      'wait',
      '--for=jsonpath={.status.disruptionsAllowed}=1',
      'poddisruptionbudget/web',
      '--timeout=240s',
    );
    ok('drain', 'ip-10-0-0-11.ec2.internal', '--ignore-daemonsets', '--timeout=240s');
    const nodes = ok(
      'get',
      'pods',
      '-A',
      '-o',
      'jsonpath={range .items[*]}{.spec.nodeName} {.metadata.ownerReferences[0].kind}{"\\n"}{end}',
    );
    const left = nodes.split('\n').filter((line) => line.startsWith('ip-10-0-0-11'));
    expect(new Set(left)).toEqual(new Set(['ip-10-0-0-11.ec2.internal DaemonSet']));
    ok('uncordon', 'ip-10-0-0-11.ec2.internal');
  });

  it('serves custom resources until their definition is deleted', () => {
    apply(crd);
    ok('wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=240s');
    apply({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { namespace: 'demo', name: 'one' },
      spec: { size: 3 },
    });
    expect(ok('-n', 'demo', 'get', 'wd', '--no-headers')).toMatch(/^one\s+3\s/);
    expect(ok('explain', 'widget.spec')).toContain('size');
    ok('delete', 'crd', 'widgets.example.com');
    expect(kubectl('-n', 'demo', 'get', 'widgets').code).toBe(1);
  });

  it('empties a deleted namespace', () => {
    ok('delete', 'namespace', 'demo', '--timeout=240s');
    expect(ok('get', 'namespaces', '-o', 'name').trim().split('\n')).toEqual([
      'namespace/default',
      'namespace/kube-node-lease',
      'namespace/kube-public',
      'namespace/kube-system',
    ]);
  });
});
