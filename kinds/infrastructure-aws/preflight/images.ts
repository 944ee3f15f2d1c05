/** Checks that an image exists and fits the instance type. */
import { found } from '../../../machinery/api/reconcile.ts';
import type { Image, InstanceTypeInfo } from '../../ports/cloud/index.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import { architectureOf, chosenImage, describeQuestion } from '../aws-machine/image.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import type { CloudFacts, PlannedMachines, PreflightFacts } from './facts.ts';
import { absent, type Finding, refused, unknown } from './finding.ts';
import { imageQuestionOf } from './observe-cloud.ts';

export const judgeImages = ({ cloud, awsCluster, machines, region }: PreflightFacts): Finding[] => {
  const cluster = found(awsCluster)?.spec;
  if (!cloud || !cluster) return [];
  return machines.flatMap((planned) => {
    const spec = found(planned.spec);
    if (!spec) return [];
    const type = cloud.types.get(spec.instanceType);
    const info = type && found(type);
    const question = imageQuestionOf(planned, spec, cluster, architectureOf(info));
    const field = fieldOf(planned);
    if (question === 'needs a version')
      return [
        refused(`${planned.by} ${planned.versionField}: set it, so that an image can be looked up, or set ${field}`),
      ];
    // Another check reports the unknown instance type.
    if (question === 'needs an architecture') return [];
    const answer = cloud.images.get(JSON.stringify(question));
    const image = imageOf(answer);
    if (image) return judgeImage(planned, spec, image, info);
    const unreadable = unknown(describeQuestion(question), answer);
    if (unreadable.length > 0) return unreadable;
    return [
      absent(
        question.ImageIds
          ? `${field}: ${describeQuestion(question)} does not exist in ${region}, or is not shared with this account`
          : planned.bastion
            ? `${field}: no image for the bastion was found in ${region}: give one`
            : `${planned.at.object} ${planned.at.path}: ${describeQuestion(question)} was not found in ${region}: change ${planned.versionField} of ${planned.by}, set ami.id, or imageLookupFormat, imageLookupOrg and imageLookupBaseOS`,
      ),
    ];
  });
};

const fieldOf = ({ at, bastion }: PlannedMachines): string => `${at.object} ${at.path}.${bastion ? 'ami' : 'ami.id'}`;

/** Undefined while it is not known. */
export const imageFor = (
  planned: PlannedMachines,
  spec: AWSMachineSpec,
  cluster: AWSClusterSpec,
  cloud: CloudFacts,
): Image | undefined => {
  const type = cloud.types.get(spec.instanceType);
  const question = imageQuestionOf(planned, spec, cluster, architectureOf(type && found(type)));
  return typeof question === 'string' ? undefined : imageOf(cloud.images.get(JSON.stringify(question)));
};

const imageOf = (answer: ReturnType<CloudFacts['images']['get']>): Image | undefined =>
  answer && chosenImage(found(answer) ?? []);

const judgeImage = (
  planned: PlannedMachines,
  { instanceType, rootVolume }: AWSMachineSpec,
  { ImageId, State, Architecture, RootDeviceName, BlockDeviceMappings }: Image,
  info: InstanceTypeInfo | undefined,
): Finding[] => {
  const field = fieldOf(planned);
  if (State !== 'available') return [refused(`${field}: image ${ImageId} is ${State}, and must be available`)];
  const supported = info?.ProcessorInfo.SupportedArchitectures;
  if (supported && !supported.includes(Architecture))
    return [
      refused(
        `${field}: image ${ImageId} is for ${Architecture}, and ${instanceType} is ${supported.join(', ')}: choose another image, or another ${planned.at.path}.instanceType`,
      ),
    ];
  const least = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)?.Ebs?.VolumeSize ?? 0;
  return rootVolume && rootVolume.size < least
    ? [
        refused(
          `${planned.at.object} ${planned.at.path}.rootVolume.size: image ${ImageId} needs at least ${least} GiB, not ${rootVolume.size}`,
        ),
      ]
    : [];
};
