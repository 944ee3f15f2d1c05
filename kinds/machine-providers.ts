import type { MachineProvider } from './core/contract/machine-provider.ts';
import { awsMachines } from './infrastructure-aws/machines.ts';

/** The providers of machines that are served, as far as the autoscaler asks them. */
export const machineProviders: readonly MachineProvider[] = [awsMachines];
