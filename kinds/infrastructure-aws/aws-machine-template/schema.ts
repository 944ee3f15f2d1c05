import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  type Infer,
  intOrString,
  map,
  object,
  oneOf,
  required,
  string,
  stringMap,
} from '../../../machinery/api/schema.ts';
import { spec as machineSpec } from '../aws-machine/schema.ts';
import { conditions } from '../shapes.ts';

const quantity =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

export const spec = object('What machines made from this template are like.', {
  template: required(
    object('The template itself.', {
      metadata: object('Labels and annotations of the machines.', {
        annotations: stringMap('Annotations of the machines.'),
        labels: stringMap('Labels of the machines.'),
      }),
      spec: required(machineSpec),
    }),
  ),
});

export const status = object('Facts about the instance type, for scaling from zero and by price.', {
  capacity: map(
    'What a machine of this type offers, by resource name.',
    intOrString('An amount, as a Kubernetes quantity.', { pattern: quantity }),
  ),
  conditions,
  nodeInfo: object('What a node of this type is like.', {
    architecture: oneOf('Processor architecture of the node.', ['amd64', 'arm64']),
    operatingSystem: oneOf('Operating system of the node.', ['linux', 'windows']),
  }),
  price: object('What a machine of this type costs, while a pool that Capstan scales uses it.', {
    dollarsPerHour: string('Dollars an hour; in the dearest zone, where zones differ. Absent if unknown.'),
    onDemand: string('Of a spot instance: dollars an hour of the same on demand.'),
    source: required(string('Where the price comes from, or why it is unknown.')),
    zones: stringMap('Dollars an hour by zone, where zones differ.'),
  }),
  zones: atomicList(
    'The zones in which machines without a failure domain start, in the order in which launches try ' +
      'them, while a pool that Capstan scales uses the template.',
    string('An availability zone.'),
  ),
});

export type AWSMachineTemplateSpec = Infer<typeof spec>;
export type AWSMachineTemplateStatus = Infer<typeof status>;
export type AWSMachineTemplate = KubeObject<AWSMachineTemplateSpec, AWSMachineTemplateStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    AWSMachineTemplate: AWSMachineTemplate;
  }
}
