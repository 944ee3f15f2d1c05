/** Whether this installation may act on its account, as the workers of every class ask. */
import { taggedResources } from '../../adapters/cloud/tagged.ts';
import { makers, openPosition, type Position, shareLook } from '../../adapters/installation/index.ts';
import { installationTag } from '../../kinds/infrastructure-aws/aws-cluster/tags.ts';
import { type Cloud, CloudError } from '../../kinds/ports/cloud.ts';
import type { Marker } from '../../kinds/ports/installation.ts';
import { gated, type Worker } from '../../machinery/controller/index.ts';
import { existsAny } from '../../machinery/store/index.ts';
import type { ControllerName } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';

/** Milliseconds for which a look that found nothing wrong is believed. */
const believed = 30_000;
/** Milliseconds. The mark is written at most once in the first; a write of it has ended, for good, in half of the second. */
const sharing = { quantum: 10_000, lease: 70_000 };
/** Shows the freeze, and lifts it when it is told to. */
const thawing: ControllerName = 'installation';
const denied = /^(UnauthorizedOperation|AccessDenied(Exception)?)$/;

export interface PositionOptions {
  marker: Marker;
  /** Where to look for what nobody here knows of; absent for those who may not look. */
  account?: { cloud: Cloud; region: string };
  /** When it froze, and with false when it thawed. */
  onChange?: (isFrozen: boolean) => void;
}

/**
 * The regions that hold something of the installation, of all that the account may use: with neither position nor mark
 * nobody knows where it acted. Throws when one cannot be looked into, and so nothing is concluded.
 */
const regionsHeldIn = async ({ cloud, region }: { cloud: Cloud; region: string }, id: string): Promise<string[]> => {
  const holds = async (one: string): Promise<boolean> => {
    try {
      return (await taggedResources(cloud, one, { [installationTag]: id })).length > 0;
    } catch (error) {
      // Where an organisation lets nobody look, this role made nothing either.
      if (one !== region && error instanceof CloudError && denied.test(error.code)) return false;
      throw error;
    }
  };
  const { Regions } = await cloud.call(region, 'DescribeRegions', {});
  const names = [...new Set([region, ...Regions.map(({ RegionName }) => RegionName)])].sort();
  const held: string[] = [];
  for (const name of names) if (await holds(name)) held.push(name);
  return held;
};

export const positionOf = (foundation: Foundation, { marker, account, onChange }: PositionOptions): Position => {
  const { kinds, objects, installation, clock, random, log } = foundation;
  return openPosition({
    installation,
    table: objects,
    marker,
    isEmpty: async () => !(await existsAny(objects, makers.map(kinds.typeOf))),
    regionsHeld: account
      ? shareLook({ table: objects, clock, random, believed }, () => regionsHeldIn(account, installation))
      : async () => [],
    sharing: { clock, random, ...sharing },
    log,
    onChange: (freeze) => onChange?.(freeze !== undefined),
  });
};

/** A worker that does nothing while the installation is frozen; that somebody else lifted it is noticed at once. */
export const frozenWith = (worker: Worker, position: Position, { clock }: Pick<Foundation, 'clock'>): Worker => {
  let looked = Number.NEGATIVE_INFINITY;
  const guarded = gated(worker, (controller) => position.freeze === undefined || controller === thawing);
  return {
    ...guarded,
    receive: async (message, deliveries) => {
      if (position.freeze || clock.now() - looked >= believed) {
        await position.check();
        looked = clock.now();
      }
      return guarded.receive(message, deliveries);
    },
  };
};
