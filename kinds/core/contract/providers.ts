import type { ControlPlaneProvider } from './control-plane.ts';
import type { Infrastructure } from './infrastructure.ts';

/** The providers that are served. A controller that needs some of them is a function of these. */
export interface Providers {
  controlPlanes: readonly ControlPlaneProvider[];
  infrastructures: readonly Infrastructure[];
}
