import { openControlPlane } from './control-plane.ts';
import type { Measured } from './measure.ts';
import { openPlaces } from './network.ts';
import type { FleetOptions } from './options.ts';
import { createFleet, type PhaseName } from './phases.ts';
import type { Phases } from './report.ts';

export interface FleetRun {
  phases: Phases;
  /** Errors in the control plane's log. */
  errors: string[];
  /** Resources at the end that did not exist before the first cluster. */
  left: string[];
}

/** Creates, idles, rolls and deletes a fleet. Its memory grows with the fleet. */
export const runFleet = async (
  options: FleetOptions,
  onPhase: (name: PhaseName, measured: Measured) => void = () => {},
): Promise<FleetRun> => {
  const plane = await openControlPlane(options);
  const placeOf = await openPlaces(plane.system.account, plane.clock, options);
  const before = new Set(plane.system.account.list().map(({ id }) => id));
  const fleet = createFleet(plane, options, placeOf);
  const measured = async (name: PhaseName) => {
    const result = await fleet[name]();
    onPhase(name, result);
    return result;
  };
  const phases: Phases = {
    create: await measured('create'),
    settle: await measured('settle'),
    idle: await measured('idle'),
    rollout: await measured('rollout'),
    delete: await measured('delete'),
  };
  const left = plane.system.account
    .list()
    .filter(({ id, state }) => !before.has(id) && state !== 'terminated')
    .map(({ type, id }) => `${type} ${id}`);
  plane.system.stop();
  return { phases, errors: plane.errors, left };
};
