/** Copies of disks that restores kept aside: the installation deletes them in time, and nothing does after it. */
import { DescribeSnapshotsCommand, EC2Client, type Snapshot } from '@aws-sdk/client-ec2';
import { installationTag } from '../../kinds/infrastructure-aws/engine/tags.ts';
import { keptUntilTag } from '../../kinds/infrastructure-aws/kept-disks.ts';
import { asking } from './explain.ts';
import { settings } from './session.ts';

export interface KeptCopy {
  id: string;
  region: string;
  /** RFC 3339. */
  until: string;
  /** Which disk of which host it was. */
  of?: string;
}

export interface KeptCopies {
  copies: KeptCopy[];
  /** Why they are not known in a region. */
  unknown: { what: string; why: string }[];
}

type Ec2 = Pick<EC2Client, 'send'>;

const copyOf = (region: string, { SnapshotId = '', Tags = [], Description }: Snapshot): KeptCopy => ({
  id: SnapshotId,
  region,
  until: Tags.find(({ Key }) => Key === keptUntilTag)?.Value ?? '',
  ...(Description && { of: Description }),
});

const copiesIn = async (client: Ec2, installation: string, region: string): Promise<KeptCopy[]> => {
  const Filters = [
    { Name: `tag:${installationTag}`, Values: [installation] },
    { Name: 'tag-key', Values: [keptUntilTag] },
  ];
  const found: KeptCopy[] = [];
  let NextToken: string | undefined;
  do {
    const request = client.send(new DescribeSnapshotsCommand({ OwnerIds: ['self'], Filters, NextToken }));
    const page = await asking(request, { action: 'ec2:DescribeSnapshots', what: `EC2 in ${region}`, region });
    found.push(...(page.Snapshots ?? []).map((snapshot) => copyOf(region, snapshot)));
    NextToken = page.NextToken;
  } while (NextToken);
  return found;
};

/** In each region where the installation acted. */
export const findKeptCopies = async (
  installation: string,
  regions: readonly string[],
  clientIn: (region: string) => Ec2 = (region) => new EC2Client({ ...settings, region }),
): Promise<KeptCopies> => {
  const all: KeptCopies = { copies: [], unknown: [] };
  for (const region of regions)
    try {
      all.copies.push(...(await copiesIn(clientIn(region), installation, region)));
    } catch (error) {
      all.unknown.push({ what: `copies of disks in ${region}`, why: (error as Error).message });
    }
  return all;
};

/** With the command that deletes each. */
export const renderKeptCopies = ({ copies }: KeptCopies): string[] =>
  copies.length === 0
    ? []
    : [
        'Copies of disks that restores kept aside, and that nothing deletes now (docs/snapshots.md says how to read them):',
        ...copies.map(
          ({ id, region, until, of }) =>
            `  EBS snapshot ${id} in ${region}${of ? `, ${of}` : ''}, to be kept until ${until}`,
        ),
        'When you no longer need them:',
        ...copies.map(({ id, region }) => `  aws ec2 delete-snapshot --snapshot-id ${id} --region ${region}`),
      ];
