import type { KubeObject } from '../../machinery/api/object.ts';
import type { MachineProvider } from '../core/contract/machine-provider.ts';
import { awsMachine } from './aws-machine/kind.ts';
import { isSpot } from './aws-machine/market.ts';
import { refusalOf } from './aws-machine/refusals.ts';
import type { AWSMachineSpec } from './aws-machine/schema.ts';
import { awsMachineTemplate } from './aws-machine-template/kind.ts';

const machineIn = ({ spec }: KubeObject): Partial<AWSMachineSpec> =>
  (spec as { template?: { spec?: Partial<AWSMachineSpec> } } | undefined)?.template?.spec ?? {};

export const awsMachines: MachineProvider = {
  machine: awsMachine,
  template: awsMachineTemplate,
  refusalOf,
  typeOf: (template) => {
    const spec = machineIn(template);
    return { ...(spec.instanceType && { type: spec.instanceType }), ...(isSpot(spec) && { market: 'spot' as const }) };
  },
};
