/** Which images a machine may start from, as its AWSMachine and its cluster's AWSCluster say. */
import type { AWSClusterSpec } from '../../../kinds/infrastructure-aws/aws-cluster/schema.ts';
import type { AWSMachineSpec } from '../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { publisher } from '../../../simulation/aws/image.ts';

const usualFormat = 'capa-ami-{{.BaseOS}}-?{{.K8sVersion}}-*';
const usualSystem = 'ubuntu-24.04';
const signs: Record<string, string> = { '.': '\\.', '?': '.', '*': '.*' };

export interface MeantImages {
  name: RegExp;
  owner: string;
}

/** Undefined where it names one by its id. */
export const imagesOf = (
  machine: AWSMachineSpec,
  cluster: AWSClusterSpec | undefined,
  version = '',
): MeantImages | undefined => {
  if (machine.ami?.id) return undefined;
  const format = machine.imageLookupFormat || cluster?.imageLookupFormat || usualFormat;
  const name = format
    .replace('{{.BaseOS}}', machine.imageLookupBaseOS || cluster?.imageLookupBaseOS || usualSystem)
    .replace('{{.K8sVersion}}', version.replace('v', ''))
    .replace(/[.?*]/g, (sign) => signs[sign]!);
  return { name: new RegExp(`^${name}$`), owner: machine.imageLookupOrg || cluster?.imageLookupOrg || publisher };
};
