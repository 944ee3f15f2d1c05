/** AWS is one provider: its kinds, fields and error codes are names of its wing. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What must serve every provider. */
const neutral = [
  'kinds/core',
  'kinds/common',
  'kinds/autoscaling',
  'kinds/operations',
  'kinds/bootstrap-kubeadm',
  'kinds/controlplane-kubeadm',
  'kinds/addons',
  'kinds/ipam',
  'machinery',
  'stepfunctions',
];

const patterns = {
  'a kind': /\bAWS(Cluster|Machine|Managed)\w*/g,
  'a field of its machines': /\b(spotMarketOptions|marketType|iamInstanceProfile|sshKeyName|imageLookup\w+)\b/g,
  'an error code':
    /\b(Insufficient(Instance|Host)Capacity|InsufficientFreeAddressesInSubnet|\w*LimitExceeded|MaxSpot\w+Exceeded|SpotMaxPriceTooLow|ServiceLinkedRole\w+|UnauthorizedOperation|IdempotentParameterMismatch|Invalid\w+\.\w+)\b/g,
};

/** Advice to a user, which names the field to set. */
const exceptions = [
  'kinds/core/machine/causes.ts: AWSMachineTemplate',
  'kinds/core/machine/causes.ts: imageLookupFormat',
];

const sources = neutral.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/** Comments may give examples. */
const codeOf = (file: string): string =>
  readFileSync(join(root, file), 'utf8')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');

it.each(Object.entries(patterns))('%s of AWS is named in no code that serves every provider', (_, pattern) => {
  const found = sources.flatMap((file) => [...codeOf(file).matchAll(pattern)].map(([word]) => `${file}: ${word}`));
  expect(found.filter((one) => !exceptions.includes(one))).toEqual([]);
});

it('finds the names of AWS where they belong', () => {
  const text = codeOf('kinds/infrastructure-aws/aws-machine/refusals.ts');
  expect(text.match(patterns['an error code'])).toContain('VcpuLimitExceeded');
});
