/** Checks that EBS makes the volumes that machines ask for. */
import { found } from '../../../machinery/api/reconcile.ts';
import { baselineIops, volumeLimits } from '../../ports/volume-limits.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, refused } from './finding.ts';

type Volume = NonNullable<AWSMachineSpec['rootVolume']>;

export const judgeVolumes = ({ machines }: PreflightFacts): Finding[] =>
  machines.flatMap(({ spec, at }) => {
    const { rootVolume, nonRootVolumes = [] } = found(spec) ?? {};
    const where = `${at.object} ${at.path}`;
    const names = nonRootVolumes.map(({ deviceName }) => deviceName);
    return [
      ...(rootVolume ? judgeVolume(`${where}.rootVolume`, rootVolume, true) : []),
      ...nonRootVolumes.flatMap((volume, i) => [
        ...judgeVolume(`${where}.nonRootVolumes[${i}]`, volume, false),
        ...(volume.deviceName && names.indexOf(volume.deviceName) < i
          ? [refused(`${where}.nonRootVolumes[${i}].deviceName: ${volume.deviceName} is another volume's: change it`)]
          : []),
      ]),
    ];
  });

/** The types that a mistaken one may mean: EC2 takes no capitals. */
const nearest = (type: string): string[] => {
  const lower = type.toLowerCase();
  return Object.hasOwn(volumeLimits, lower) ? [lower] : Object.keys(volumeLimits);
};

/** EC2 takes the type from the image when the volume names none. */
const judgeVolume = (at: string, { type, size, iops, throughput }: Volume, isRoot: boolean): Finding[] => {
  if (!type) return [];
  const limits = volumeLimits[type];
  if (!limits) return [refused(`${at}.type: EC2 has no volumes of type ${type}: choose ${nearest(type).join(' or ')}`)];
  const within = (
    field: string,
    value: number | undefined,
    range: readonly [number, number] | undefined,
  ): Finding[] => {
    if (!value) return [];
    if (!range) return [refused(`${at}.${field}: a volume of type ${type} has no ${field} to set: leave it out`)];
    const [least, most] = range;
    return value < least || value > most
      ? [refused(`${at}.${field}: a volume of type ${type} has ${least} to ${most}, not ${value}`)]
      : [];
  };
  const { iopsPerGib = Infinity, throughputPerIops = Infinity } = limits;
  const mostIops = size * iopsPerGib;
  const mostThroughput = (iops || baselineIops) * throughputPerIops;
  return [
    ...(isRoot && limits.isDataOnly
      ? [refused(`${at}.type: no machine boots from a volume of type ${type}: choose gp3`)]
      : []),
    ...within('size', size, limits.size),
    ...within('iops', iops, limits.iops),
    ...within('throughput', throughput, limits.throughput),
    ...(iops && iops > Math.max(mostIops, type === 'gp3' ? baselineIops : 0)
      ? [refused(`${at}.iops: a volume of type ${type} with ${size} GiB has at most ${mostIops}, not ${iops}`)]
      : []),
    ...(throughput && throughput > mostThroughput
      ? [
          refused(
            `${at}.throughput: a volume with ${iops || baselineIops} IOPS has at most ${mostThroughput} MiB/s, not ${throughput}: raise iops`,
          ),
        ]
      : []),
  ];
};
