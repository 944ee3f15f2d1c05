/** Fields with other names or units in v1beta1 are equal in both versions. */
import type { JsonObject, JsonValue } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import { valueAt } from '../fields.ts';
import type { Session } from './session.ts';
import { lawful } from './validation.ts';

type Pair = readonly [older: string, newer: string, value: JsonValue, inNewer?: JsonValue];

const deletion = (older: string, newer: string): Pair[] => [
  [`${older}nodeDrainTimeout`, `${newer}nodeDrainTimeoutSeconds`, '10m0s', 600],
  [`${older}nodeVolumeDetachTimeout`, `${newer}nodeVolumeDetachTimeoutSeconds`, '1h30m0s', 5400],
  [`${older}nodeDeletionTimeout`, `${newer}nodeDeletionTimeoutSeconds`, '45s', 45],
];
const pairs: Readonly<Record<string, readonly Pair[]>> = {
  MachineDeployment: [
    ['strategy.rollingUpdate.maxSurge', 'rollout.strategy.rollingUpdate.maxSurge', 3],
    ['strategy.rollingUpdate.maxUnavailable', 'rollout.strategy.rollingUpdate.maxUnavailable', '20%'],
    ['strategy.rollingUpdate.deletePolicy', 'deletion.order', 'Oldest'],
    ['rolloutAfter', 'rollout.after', '2099-01-01T00:00:00Z'],
    ['minReadySeconds', 'template.spec.minReadySeconds', 30],
    ...deletion('template.spec.', 'template.spec.deletion.'),
  ],
  KubeadmControlPlane: [
    ['rolloutStrategy.rollingUpdate.maxSurge', 'rollout.strategy.rollingUpdate.maxSurge', 1],
    ['rolloutAfter', 'rollout.after', '2099-01-01T00:00:00Z'],
    ['rolloutBefore.certificatesExpiryDays', 'rollout.before.certificatesExpiryDays', 21],
    ['remediationStrategy.maxRetry', 'remediation.maxRetry', 4],
    ...deletion('machineTemplate.', 'machineTemplate.spec.deletion.'),
  ],
};

const pathIn = (field: string): string[] => ['spec', ...field.split('.')];
const nested = ([first, ...rest]: readonly string[], value: JsonValue): JsonObject => ({
  [first!]: rest.length === 0 ? value : nested(rest, value),
});

type Flag = readonly [name: string, value: string];
/** The old version has them as a map, the new one as a list in the given order. */
const manyFlags: readonly Flag[] = [
  ['v', '2'],
  ['node-labels', 'of=user'],
  ['max-pods', '40'],
];
const template = (of: object) => ({ spec: { template: { spec: of } } });
const withFlags = (kubeletExtraArgs: JsonValue) =>
  template({ joinConfiguration: { nodeRegistration: { kubeletExtraArgs } } });

export const older = {
  'change a flag in an older version': async (session: Session) => {
    const { ask, draw, expect } = session;
    const kind = 'KubeadmConfigTemplate';
    const { apiVersion = '' } = lawful[kind];
    const name = session.newName();
    const [newest, oldest] = [apiVersion, apiVersion.replace(/[^/]+$/, 'v1beta1')].map((one) => pathOf(kind, one));
    const first = draw.whole(0, manyFlags.length - 1);
    const flags = [...manyFlags.slice(first), ...manyFlags.slice(0, first)];
    const list = flags.map(([of, value]) => ({ name: of, value }));
    await ask('POST', newest!, 201, { apiVersion, kind, metadata: { name }, ...withFlags(list) });
    const [changed] = draw.pick(flags);
    await ask('PATCH', `${oldest}/${name}`, 200, withFlags({ [changed]: 'new' }));
    const object = (await ask('GET', `${newest}/${name}`, 200)) as unknown as JsonValue;
    const after = valueAt(object, pathIn('template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs'));
    const textOf = (all: readonly Flag[]) =>
      [...new Map(all)]
        .map(([of, value]) => `${of}=${value}`)
        .sort()
        .join(' ');
    const is = (after as { name: string; value: string }[]).map((one): Flag => [one.name, one.value]);
    expect(
      `${textOf(flags)} after a change of ${changed} in v1beta1`,
      textOf(is),
      textOf([...flags, [changed, 'new']]),
    );
    await ask('DELETE', `${newest}/${name}`, 200);
  },
  'write in an older version': async (session: Session) => {
    const { ask, draw, expect } = session;
    const kind = draw.pick(Object.keys(pairs) as ('MachineDeployment' | 'KubeadmControlPlane')[]);
    const name = session.newName();
    const { apiVersion = '', spec } = lawful[kind];
    const newest = `${pathOf(kind)}/${name}`;
    const oldest = `${pathOf(kind, apiVersion.replace(/[^/]+$/, 'v1beta1'))}/${name}`;
    await ask('POST', pathOf(kind), 201, { apiVersion, kind, metadata: { name }, spec: spec! });
    for (const [before, now, value, inNewer = value] of pairs[kind]!) {
      if (draw.chance(0.3)) continue;
      const isWrittenInOlder = draw.chance(0.7);
      const [place, field, written] = isWrittenInOlder ? [oldest, before, value] : [newest, now, inNewer];
      await ask('PATCH', place, 200, nested(pathIn(field), written));
      for (const [at, written, should] of [
        [oldest, before, value],
        [newest, now, inNewer],
      ] as const) {
        const object = (await ask('GET', at, 200)) as unknown as JsonValue;
        expect(`${written} of ${kind}, written as ${field}`, valueAt(object, pathIn(written)), should);
      }
    }
    await ask('DELETE', newest, 200);
  },
};
