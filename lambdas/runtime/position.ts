/** The installation's position, as each function that acts looks at it. */
import { taggedResources } from '../../adapters/cloud/tagged.ts';
import { openPosition, type Position } from '../../adapters/installation/index.ts';
import { installationTag } from '../../kinds/aws-cluster/tags.ts';
import type { Cloud } from '../../kinds/ports/cloud.ts';
import type { Marker } from '../../kinds/ports/installation.ts';
import { gated, type Worker } from '../../machinery/controller/index.ts';
import { existsAny } from '../../machinery/store/index.ts';
import type { ControllerName } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';
import { makers } from './makers.ts';

/** Milliseconds for which a look that found nothing wrong is believed. */
const believed = 30_000;
/** Shows the freeze, and lifts it when it is told to. */
const thawing: ControllerName = 'installation';

export interface PositionOptions {
  marker: Marker;
  /** Where to look for what nobody here knows of; absent for those who may not look. */
  account?: { cloud: Cloud; region: string };
  /** When it froze, and with false when it thawed. */
  onChange?: (isFrozen: boolean) => void;
}

export const positionOf = (foundation: Foundation, { marker, account, onChange }: PositionOptions): Position => {
  const { kinds, objects, installation, log } = foundation;
  const position = openPosition({
    installation,
    table: objects,
    marker,
    isEmpty: async () => !(await existsAny(objects, makers.map(kinds.typeOf))),
    regionsHeld: async () => {
      if (!account) return [];
      const held = await taggedResources(account.cloud, account.region, { [installationTag]: installation });
      return held.length > 0 ? [account.region] : [];
    },
    log,
    onChange: (freeze) => onChange?.(freeze !== undefined),
  });
  foundation.onCommit(position.changed);
  return position;
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
