import { labels } from '../../common/labels.ts';
import { type NotActedOn, warnNotActedOn } from '../../common/not-acted-on.ts';

const feature = 'Machines of MachinePools';

export const poolNotActedOn: NotActedOn[] = [
  {
    kind: 'Machine',
    path: 'metadata.ownerReferences[]',
    feature,
    when: (value) => (value as { kind?: string }).kind === 'MachinePool',
  },
  { kind: 'Machine', path: 'metadata.labels', feature, when: (value) => Object.hasOwn(value as object, labels.pool) },
];
export const warnUnheeded = warnNotActedOn(poolNotActedOn);
