/** The AMI of a machine. */

import type { CloudInput, Image, InstanceTypeInfo } from '../../ports/cloud/index.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import { newest } from '../network/bastion-image.ts';
import type { AWSMachineSpec } from './schema.ts';

/**
 * Defaults of the AWS provider's published images: the owner's account, the name format, and the
 * base OS.
 */
export const publisher = '819546954734';
const defaultFormat = 'capa-ami-{{.BaseOS}}-?{{.K8sVersion}}-*';
const defaultBaseOS = 'ubuntu-24.04';

/** Architectures that images are published for. */
export const architectures = ['x86_64', 'arm64'] as const;

/** The architecture that a machine of this type runs. Some types list i386 first. */
export const architectureOf = (info: InstanceTypeInfo | undefined): string | undefined =>
  architectures.find((one) => info?.ProcessorInfo.SupportedArchitectures.includes(one));

export const imageQuestion = (
  machine: AWSMachineSpec,
  cluster: AWSClusterSpec,
  version: string | undefined,
  architecture: string | undefined,
): CloudInput<'DescribeImages'> | 'needs a version' | 'needs an architecture' => {
  if (machine.ami?.id) return { ImageIds: [machine.ami.id] };
  if (!version) return 'needs a version';
  if (!architecture) return 'needs an architecture';
  const format = machine.imageLookupFormat || cluster.imageLookupFormat || defaultFormat;
  const values: Record<string, string> = {
    BaseOS: machine.imageLookupBaseOS || cluster.imageLookupBaseOS || defaultBaseOS,
    K8sVersion: version.replace(/^v/, ''),
  };
  return {
    Owners: [machine.imageLookupOrg || cluster.imageLookupOrg || publisher],
    Filters: [
      { Name: 'name', Values: [format.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (all, name: string) => values[name] ?? all)] },
      { Name: 'architecture', Values: [architecture] },
      { Name: 'state', Values: ['available'] },
      { Name: 'virtualization-type', Values: ['hvm'] },
    ],
  };
};

export const chosenImage = (images: readonly Image[]): Image | undefined => newest(images);

/** The image filter as text for messages. */
export const describeQuestion = (question: CloudInput<'DescribeImages'>): string =>
  question.ImageIds
    ? `image ${question.ImageIds.join(', ')}`
    : `an image named ${question.Filters?.find(({ Name }) => Name === 'name')?.Values[0]} of account ${question.Owners?.join(', ')} for ${question.Filters?.find(({ Name }) => Name === 'architecture')?.Values[0]}`;
