import type { CloudInput } from '../../ports/cloud/index.ts';

/** The bastion's default image: Canonical's current LTS release. */
export const bastionImages: CloudInput<'DescribeImages'> = {
  Owners: ['099720109477'],
  Filters: [
    { Name: 'name', Values: ['ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-*'] },
    { Name: 'state', Values: ['available'] },
    { Name: 'virtualization-type', Values: ['hvm'] },
  ],
};

export const newest = <T extends { CreationDate: string }>(images: readonly T[]): T | undefined =>
  [...images].sort((a, b) => (a.CreationDate < b.CreationDate ? 1 : -1))[0];
