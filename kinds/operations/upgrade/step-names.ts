/** The steps of an upgrade, in order; users name them to pause before one. */
export const upgradeSteps = [
  'Preflight',
  'Snapshot',
  'ControlPlaneFirst',
  'SoakControlPlane',
  'ControlPlane',
  'AddOns',
  'WorkersCanary',
  'SoakWorkers',
  'Workers',
  'Verify',
] as const;
export type UpgradeStep = (typeof upgradeSteps)[number];
