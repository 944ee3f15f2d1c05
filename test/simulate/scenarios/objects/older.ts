/** What both versions of the API know under another name, or in other units, is the same in both. */
import type { JsonObject, JsonValue } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import { valueAt } from '../fields.ts';
import type { Desk } from './desk.ts';
import { lawful } from './rules.ts';

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

export const older = {
  'write it in an older version': async (desk: Desk) => {
    const { ask, draw, expect } = desk;
    const kind = draw.pick(Object.keys(pairs) as ('MachineDeployment' | 'KubeadmControlPlane')[]);
    const name = desk.newName();
    const { apiVersion = '', spec } = lawful[kind];
    const newest = `${pathOf(kind)}/${name}`;
    const oldest = `${pathOf(kind, apiVersion.replace(/[^/]+$/, 'v1beta1'))}/${name}`;
    await ask('POST', pathOf(kind), 201, { apiVersion, kind, metadata: { name }, spec: spec! });
    for (const [before, now, value, inNewer = value] of pairs[kind]!) {
      if (draw.chance(0.3)) continue;
      const isWrittenInOlder = draw.chance(0.7);
      const [place, field, written] = isWrittenInOlder ? [oldest, before, value] : [newest, now, inNewer];
      await ask('PATCH', place, 200, nested(pathIn(field), written));
      for (const [at, told, should] of [
        [oldest, before, value],
        [newest, now, inNewer],
      ] as const) {
        const object = (await ask('GET', at, 200)) as unknown as JsonValue;
        expect(`${told} of ${kind}, written as ${field}`, valueAt(object, pathIn(told)), should);
      }
    }
    await ask('DELETE', newest, 200);
  },
};
