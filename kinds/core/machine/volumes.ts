/** Which volumes are still attached to a Node. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';

interface VolumeAttachment extends KubeObject {
  spec?: { nodeName?: string; source?: { persistentVolumeName?: string } };
  status?: { attached?: boolean };
}
interface PersistentVolume extends KubeObject {
  spec?: {
    csi?: { driver: string; volumeHandle: string };
    claimRef?: { kind?: string; namespace?: string; name?: string };
  };
}

export interface VolumeFacts {
  node: string;
  /** From the Node's status. */
  attachedNames: string[];
  attachments: KubeObject[];
  persistentVolumes: KubeObject[];
  /** `namespace/name` of the claims of pods that stay. */
  ignoredClaims: Set<string>;
}

export interface Attached {
  claims: string[];
  withoutClaim: string[];
  unknownNames: string[];
  unknownVolumes: string[];
}

export const attachedVolumes = (facts: VolumeFacts): Attached => {
  const names = new Set(facts.attachedNames);
  const volumes = new Set(
    (facts.attachments as VolumeAttachment[])
      .filter(({ spec, status }) => status?.attached === true && spec?.nodeName === facts.node)
      .flatMap(({ spec }) => spec?.source?.persistentVolumeName ?? []),
  );
  const csiName = ({ spec }: PersistentVolume) =>
    spec?.csi ? `kubernetes.io/csi/${spec.csi.driver}^${spec.csi.volumeHandle}` : undefined;
  const attached = (facts.persistentVolumes as PersistentVolume[]).filter((volume) => {
    const name = csiName(volume);
    return (name !== undefined && names.has(name)) || volumes.has(volume.metadata.name);
  });
  const hasClaim = ({ spec }: PersistentVolume) => spec?.claimRef?.kind === 'PersistentVolumeClaim';
  const claims = new Set(
    attached.filter(hasClaim).map(({ spec }) => `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`),
  );
  const knownNames = new Set(attached.map(csiName));
  const knownVolumes = new Set(attached.map(({ metadata }) => metadata.name));
  return {
    claims: [...claims].filter((claim) => !facts.ignoredClaims.has(claim)).sort(),
    withoutClaim: attached
      .filter((volume) => !hasClaim(volume))
      .map(({ metadata }) => metadata.name)
      .sort(),
    unknownNames: [...names].filter((name) => !knownNames.has(name)).sort(),
    unknownVolumes: [...volumes].filter((name) => !knownVolumes.has(name)).sort(),
  };
};
export const isDetached = (attached: Attached): boolean => Object.values(attached).every((list) => list.length === 0);

const listed = 5;
const listText = (names: string[]): string =>
  names.length > listed
    ? `${names.slice(0, listed).join(', ')}, ... (${names.length - listed} more)`
    : names.join(', ');

/** `started` is an RFC 3339 time. */
export const volumesMessage = (attached: Attached, started: string): string => {
  const lines: [string, string[]][] = [
    ['PersistentVolumeClaims', attached.claims],
    ['PersistentVolumes without a .spec.claimRef to a PersistentVolumeClaim', attached.withoutClaim],
    ['Node with .status.volumesAttached entries not matching a PersistentVolume', attached.unknownNames],
    [
      'VolumeAttachment with .spec.source.persistentVolumeName not matching a PersistentVolume',
      attached.unknownVolumes,
    ],
  ];
  return [
    `Waiting for Node volumes to be detached (started at ${started})`,
    ...lines.filter(([, names]) => names.length > 0).map(([what, names]) => `* ${what}: ${listText(names)}`),
  ].join('\n');
};
