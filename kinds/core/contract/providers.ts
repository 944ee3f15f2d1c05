import type { GroupKind } from '../../../machinery/api/kind.ts';
import type { CauseRules } from '../../common/causes/index.ts';
import type { ControlPlaneProvider } from './control-plane.ts';
import type { InfrastructureProvider } from './infrastructure.ts';
import type { MachineProvider } from './machine-provider.ts';

/** The providers that are served. A controller that needs some of them is a function of these. */
export interface Providers {
  controlPlanes: readonly ControlPlaneProvider[];
  infrastructures: readonly InfrastructureProvider[];
  /** Those of `infrastructures` whose controllers keep to the targets of operations. */
  infrastructureKinds: readonly GroupKind[];
  machineProviders: readonly MachineProvider[];
  causeRules: readonly CauseRules[];
}
