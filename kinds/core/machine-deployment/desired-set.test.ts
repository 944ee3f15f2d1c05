import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { MachineSet } from '../machine-set/schema.ts';
import { newMachineSet, setChanges } from './desired-set.ts';
import type { MachineDeployment } from './schema.ts';

const note = 'capstan.dev/from-template';
const revision = { 'machinedeployment.clusters.x-k8s.io/revision': '1' };

const deployment = (own: Record<string, string>, ofTemplate: Record<string, string>): MachineDeployment => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  metadata: { name: 'workers', namespace: 'default', uid: 'workers', labels: {}, annotations: own },
  spec: {
    clusterName: 'c',
    replicas: 3,
    selector: { matchLabels: { of: 'workers' } },
    template: {
      metadata: { labels: { of: 'workers' }, annotations: ofTemplate },
      spec: {
        clusterName: 'c',
        version: 'v1.36.2',
        infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: 'small' },
        bootstrap: { dataSecretName: 'data' },
      },
    },
  },
});
const made = (of: MachineDeployment) => newMachineSet(of, 'workers-abcde', 3, revision);
const follow = (set: MachineSet, of: MachineDeployment): MachineSet => {
  const patch = setChanges(of, set, { isOld: false, replicas: undefined, revision });
  return patch ? (mergePatch(set, patch) as MachineSet) : set;
};
const own = ({ metadata }: KubeObject) =>
  Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([name]) => !name.includes('cluster') || name === note),
  );
const both = (annotations: Record<string, string>) => deployment(annotations, annotations);

describe('annotations of a MachineSet', () => {
  it('are those of a MachineDeployment of a topology, and nothing else', () =>
    expect(own(made(both({ team: 'a' })))).toEqual({ team: 'a' }));

  it.each([
    { rule: 'grow', to: both({ team: 'a', tier: 'b' }), are: { team: 'a', tier: 'b' } },
    { rule: 'lose what a topology loses', to: both({ tier: 'b' }), are: { tier: 'b' } },
    { rule: 'keep what only the MachineDeployment still has', to: deployment({ team: 'a' }, {}), are: { team: 'a' } },
    { rule: 'lose what only the template still has', to: deployment({}, { team: 'a' }), are: {} },
  ])('$rule, and lose all in the end', ({ to, are }) => {
    const set = follow(made(both({ team: 'a' })), to);
    const { [note]: _, ...received } = own(set);
    expect(received).toEqual(are);
    expect(own(follow(follow(set, to), both({})))).toEqual({});
  });

  it('keep those of other clients', () => {
    const set = made(both({ team: 'a' }));
    const mine = mergePatch(set, { metadata: { annotations: { mine: 'x' } } }) as MachineSet;
    expect(own(follow(mine, both({})))).toEqual({ mine: 'x' });
  });

  it('keep those of a set that is adopted', () => {
    const { metadata, ...others } = made(both({ team: 'a' }));
    const adopted = { ...others, metadata: { ...metadata, annotations: { team: 'mine' } } };
    expect(own(follow(adopted, deployment({}, { team: 'a' }))).team).toBe('mine');
  });

  it('follow after the note of an earlier version, without a change of the spec', () => {
    const { metadata, ...others } = made(both({ team: 'a' }));
    const noted = { ...metadata.annotations, gone: 'x', [note]: 'of;gone,team' };
    const before = { ...others, metadata: { ...metadata, annotations: noted } };
    const patch = setChanges(both({ team: 'a' }), before, { isOld: false, replicas: undefined, revision });
    expect(patch).toEqual({ metadata: { annotations: { gone: null, [note]: null } } });
  });
});
