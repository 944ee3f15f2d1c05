import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { podsIn } from '../../scenarios/autoscaling/pods.ts';
import type { Rule } from '../rule.ts';
import { machinesOf, poolsIn } from './pools.ts';

const second = 1000;
const minute = 60 * second;
const apart = 10 * second;

/** Hosts of one pool in four hours of which none ran a pod: twice its size, its minimum, and some that find out. */
const window = 240 * minute;
const most = 24;

/** What a user says of the nodes of the pool. */
const declarationOf = ({ metadata, spec }: MachineDeployment): string =>
  JSON.stringify([metadata.annotations, spec?.template]);

/** A pool whose nodes run no pod does not launch hosts for ever. */
export const purchasesEnd: Rule = ({ world }, broken) => {
  const { clock, mirror } = world;
  const launches = new Map<string, { declaration: string; at: number[] }>();
  const knownOf = (pool: MachineDeployment) => {
    const { name } = pool.metadata;
    const declaration = declarationOf(pool);
    const known = launches.get(name);
    const current = known?.declaration === declaration ? known : { declaration, at: [] };
    launches.set(name, current);
    return current;
  };
  const tick = () => {
    clock.after(apart, tick);
    const used = new Set(podsIn(world).map(({ spec }) => spec?.nodeName));
    for (const pool of poolsIn(mirror)) {
      const isUsed = ({ status }: Machine) => status?.nodeRef !== undefined && used.has(status.nodeRef.name);
      if (machinesOf(mirror, pool).some(isUsed)) knownOf(pool).at = [];
    }
  };
  clock.after(apart, tick);
  const providerOf = (object: KubeObject | undefined) => (object as Machine | undefined)?.spec?.providerID;
  return {
    onCommit: ({ object, before }) => {
      if (object?.kind !== 'Machine' || !providerOf(object) || providerOf(before)) return;
      const owner = object.metadata.labels?.['cluster.x-k8s.io/deployment-name'];
      const pool = poolsIn(mirror).find(({ metadata }) => metadata.name === owner);
      if (!pool) return;
      const known = knownOf(pool);
      const now = clock.now();
      known.at = [...known.at.filter((at) => at > now - window), now];
      if (known.at.length > most) throw broken(`${owner} launched ${known.at.length} hosts, and no pod ran there`);
    },
  };
};
