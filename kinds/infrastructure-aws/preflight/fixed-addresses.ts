/** Checks that the subnets of machines contain what the pool of their fixed addresses may give. */
import { found } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { allocatable } from '../../ipam/pool/addresses.ts';
import { countOf, difference, type Range, rangeOf, textOf } from '../../ipam/pool/ranges.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { absent, type Finding, refused, unknown } from './finding.ts';
import { blocksOf, placesOf } from './places.ts';

/** EC2 keeps the first four addresses of a subnet and the last one. */
const usableIn = (block: string): Range[] => {
  const range = rangeOf(block);
  if (!range) return [];
  const { from, to } = range;
  return to - from < 5n ? [] : [{ ...range, from: from + 4n, to: to - 1n }];
};

const shown = (ranges: readonly Range[]): string =>
  listOf(
    ranges.map(({ family, from, to }) => {
      const [first, last] = [from, to].map((value) => textOf({ family, value }));
      return first === last ? first! : `${first}-${last}`;
    }),
  );

export const judgeFixedAddresses = (facts: PreflightFacts): Finding[] =>
  facts.machines.flatMap((planned) => judge(planned, facts));

const judge = (planned: PlannedMachines, facts: PreflightFacts): Finding[] => {
  const { addressPool, count, surge = 0, controlPlane } = planned;
  const machine = found(planned.spec);
  if (!addressPool || !machine) return [];
  const { field, reference } = addressPool;
  const name = `${reference.kind} ${reference.name}`;
  const pool = found(addressPool.pool);
  if (addressPool.pool.state === 'absent') return [absent(`${field}: ${name} does not exist: create it`)];
  if (!pool?.spec) return unknown(name, addressPool.pool);
  const given = allocatable(pool.spec);
  if (given.some(({ family }) => family === 'ipv6'))
    return [refused(`${field}: ${name} has addresses of IPv6: name a pool of IPv4`)];
  const wanted = count + surge;
  if (countOf(given) < wanted)
    return [
      refused(
        `${field}: ${name} has ${countOf(given)} addresses, and ${planned.by} needs ${wanted}${surge > 0 ? ' during a rollout' : ''}: add some to spec.addresses`,
      ),
    ];
  const blocks = blocksOf(planned, machine, facts);
  if (!blocks) return [];
  const outside = difference(
    given,
    blocks.flatMap(({ block }) => usableIn(block)),
  );
  if (outside.length > 0)
    return [
      refused(
        `${field}: ${name} may give ${shown(outside)}, which an instance in ${listOf(blocks.map(({ block }) => block))} cannot have: change spec.addresses of the pool, or the subnets of the machines`,
      ),
    ];
  const { zones } = placesOf(planned, machine, facts);
  return controlPlane && zones.length > 1
    ? [
        refused(
          `${field}: the address of a Machine decides about its zone, and ${planned.by} spreads its Machines over ${listOf(zones)}: use subnets of one zone`,
        ),
      ]
    : [];
};
