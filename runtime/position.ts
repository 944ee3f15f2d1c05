/** Whether this installation may act on its account; shared by the workers of every class. */
import { taggedResources } from '../adapters/cloud/tagged.ts';
import { makers, openPosition, type Position, shareSearch } from '../adapters/installation/index.ts';
import { installationTag } from '../kinds/infrastructure-aws/engine/tags.ts';
import { type Cloud, CloudError } from '../kinds/ports/cloud/index.ts';
import type { Marker } from '../kinds/ports/installation.ts';
import { gated, type Receiver } from '../machinery/controller/index.ts';
import { existsAny } from '../machinery/store/index.ts';
import type { ControllerName } from '../wiring.ts';
import type { Foundation } from './foundation.ts';

/** Milliseconds for which a check without findings is cached. */
export const believed = 30_000;
/**
 * Milliseconds. The mark is written at most once per quantum. A write completes or fails within half of the
 * lease.
 */
const sharing = { quantum: 10_000, lease: 70_000 };
/** Reports the freeze, and lifts it on request. */
const thawing: ControllerName = 'installation';
const denied = /^(UnauthorizedOperation|AccessDenied(Exception)?)$/;

export interface PositionOptions {
  marker: Marker;
  /** The account to search for unknown resources; absent without permission to search. */
  account?: { cloud: Cloud; region: string };
  /** Called with true when it freezes, with false when it thaws. */
  onChange?: (isFrozen: boolean) => void;
}

/**
 * Enabled regions that contain resources of this installation. Without position and mark it is unknown where
 * it has acted. Throws if a region cannot be searched, so that no conclusion is drawn.
 */
const regionsHeldIn = async ({ cloud, region }: { cloud: Cloud; region: string }, id: string): Promise<string[]> => {
  const holds = async (one: string): Promise<boolean> => {
    try {
      return (await taggedResources(cloud, one, { [installationTag]: id })).length > 0;
    } catch (error) {
      // A region that the organisation denies cannot contain resources that this role created.
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
      ? shareSearch({ table: objects, clock, random, believed }, () => regionsHeldIn(account, installation))
      : async () => [],
    sharing: { clock, random, ...sharing },
    log,
    onChange: (freeze) => onChange?.(freeze !== undefined),
  });
};

/** A worker that is idle while the installation is frozen. It notices at once when another process thaws it. */
export const frozenWith = (worker: Receiver, position: Position, { clock }: Pick<Foundation, 'clock'>): Receiver => {
  let looked = Number.NEGATIVE_INFINITY;
  const guarded = gated(worker, (controller) => position.freeze === undefined || controller === thawing);
  return {
    receive: async (message, deliveries) => {
      if (position.freeze || clock.now() - looked >= believed) {
        await position.check();
        looked = clock.now();
      }
      return guarded.receive(message, deliveries);
    },
  };
};
