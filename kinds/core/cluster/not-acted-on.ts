import { type NotActedOn, warnNotActedOn } from '../../common/not-acted-on.ts';

export const topologyNotActedOn: NotActedOn[] = [
  { kind: 'Cluster', path: 'spec.topology.workers.machinePools', feature: 'MachinePools' },
];
export const warnUnheeded = warnNotActedOn(topologyNotActedOn);
