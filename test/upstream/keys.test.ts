/** Labels and annotations of upstream: each is acted on, or a client that sets it is warned. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { keys as unheeded } from '../../kinds/not-acted-on.ts';
import type { Admission } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import table from './keys.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

/** Keys that no object served here has for a controller to act on. */
const elsewhere: Record<string, string> = {
  'aws.cluster.x-k8s.io/prevent-deletion': 'of objects in workload clusters with EKS’ network plugin',
  'cert-manager.clusterctl.cluster.x-k8s.io/version': 'of clusterctl’s certificate manager',
  'clusterctl.cluster.x-k8s.io/block-move': 'read by clusterctl',
  'clusterctl.cluster.x-k8s.io/core': 'of clusterctl’s certificate manager',
  'clusterctl.cluster.x-k8s.io/move': 'read by clusterctl',
  'clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check': 'of CustomResourceDefinitions',
  'controlplane.cluster.x-k8s.io/kubeadm-cluster-configuration': 'a note of upstream’s controllers',
  'crd-migration.cluster.x-k8s.io/observed-generation': 'of CustomResourceDefinitions',
  'in-place-updates.internal.cluster.x-k8s.io/acknowledged-move': 'a note of upstream’s controllers',
  'in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset': 'a note of upstream’s controllers',
  'in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move': 'a note of upstream’s controllers',
  'in-place-updates.internal.cluster.x-k8s.io/receive-machines-from-machinesets': 'a note of upstream’s controllers',
  'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': 'a note of upstream’s controllers',
  'sigs.k8s.io/cluster-api-provider-aws-last-applied-security-groups': 'a note of upstream’s controllers',
  'sigs.k8s.io/cluster-api-provider-last-applied-tags-on-volumes': 'a note of upstream’s controllers',
  'topology.internal.cluster.x-k8s.io/upgrade-step': 'a note of upstream’s controllers',
};

const sources = ['kinds', 'machinery'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path) && !path.includes('not-acted-on'))
    .map((path) => readFileSync(join(root, folder, path), 'utf8')),
);
const isWritten = (key: string): boolean => {
  const whole = new RegExp(`['"\`]${key.replaceAll('.', '\\.')}['"\`/]`);
  return sources.some((text) => whole.test(text));
};
/** A key under a prefix, such as that of a hook, is written by its parts. */
const isWrittenInParts = (key: string): boolean => {
  const [prefix = '', name] = key.split('/');
  return declared.includes(prefix) && isWritten(prefix) && sources.some((text) => text.includes(`}/${name}`));
};

const declared = [...new Set(Object.values(table).flatMap((keys) => Object.keys(keys)))].toSorted();
const warned = new Set(unheeded.map(({ key }) => key));

describe('a label or annotation of upstream', () => {
  it.each(declared.filter((key) => !warned.has(key) && !(key in elsewhere)))('%s is acted on', (key) => {
    expect(
      isWritten(key) || isWrittenInParts(key),
      'act on it, or warn of it in a table of kinds/not-acted-on.ts',
    ).toBe(true);
  });

  it('is in one list only, and every list has only upstream’s', () => {
    const listed = [...warned, ...Object.keys(elsewhere)];
    expect(listed.filter((key) => !declared.includes(key))).toEqual([]);
    expect([...warned].filter((key) => key in elsewhere)).toEqual([]);
  });
});

const admission: Admission = { operation: 'create', user: { username: 'u', groups: [] }, dryRun: false };
const warningsOf = (kind: string, field: string, name: string, value: string): string[] => {
  const metadata = { name: 'n', [field]: { [name]: value } };
  return kinds.find((one) => one.kind === kind)!.warn!(
    { apiVersion: 'any/v1', kind, metadata } as KubeObject,
    admission,
  );
};

describe('a label or annotation without effect', () => {
  it.each(unheeded)('$key warns the client that sets it', ({ in: field, key, feature, kind = 'MachineDeployment' }) => {
    const name = key.includes('/') ? key : `${key}/mine`;
    expect(warningsOf(kind, field, name, 'true')).toEqual([
      `metadata.${field}[${name}]: ${feature}: accepted and stored, but not acted on`,
    ]);
    expect(warningsOf(kind, field, 'example.com/mine', 'true')).toEqual([]);
  });
});
