/** `capstan cloud image`, `key-pair` and `profile`: what launches of the simulated account refer to. */
import { Command, Option } from 'commander';
import { accountPath } from './account.ts';
import type { Connect } from './client.ts';
import { versionOption } from './options.ts';
import { outputOption, renderItems } from './output.ts';

interface Image {
  ImageId: string;
  Name: string;
  Architecture: string;
  OwnerId: string;
  CreationDate: string;
}
interface ListImages {
  region: string;
  kubernetesVersion?: string;
  os: string;
  output?: string;
}

interface CreateImage {
  region: string;
  kubernetesVersion: string;
  arch: string;
}

const regionOption = (what = 'where') => new Option('--region <name>', what).default('us-east-1');

/** The AWS provider's images of a version, under the names by which it looks for them, and the account's own. */
const questionsOf = ({ kubernetesVersion, os }: Pick<ListImages, 'kubernetesVersion' | 'os'>): object[] => [
  { Owners: ['self'] },
  ...(kubernetesVersion === undefined
    ? []
    : [{ Filters: [{ Name: 'name', Values: [`capa-ami-${os}-?${kubernetesVersion.slice(1)}-*`] }] }]),
];

const listImages = async (connect: Connect, { region, output, ...wanted }: ListImages): Promise<void> => {
  const { openCloud } = await import('./cloud-call.ts');
  const call = await openCloud(connect, region);
  const answers = await Promise.all(
    questionsOf(wanted).map((question) => call<{ Images: Image[] }>('DescribeImages', question)),
  );
  const images = answers.flatMap(({ Images }) => Images.toSorted((a, b) => (a.CreationDate < b.CreationDate ? 1 : -1)));
  const columns = ['ID', 'NAME', 'ARCHITECTURE', 'CREATED', 'OWNER'];
  console.log(
    renderItems(images, output, columns, (image) => [
      image.ImageId,
      image.Name,
      image.Architecture,
      image.CreationDate,
      image.OwnerId,
    ]),
  );
  if (wanted.kubernetesVersion === undefined && output === undefined)
    console.error(
      'These are the images of this account; --kubernetes-version v1.36.0 adds those that the AWS provider publishes.',
    );
};

const imageCommand = (connect: Connect): Command => {
  const image = new Command('image').description('Machine images.').exitOverride();
  image
    .command('list')
    .description('Images of the account, and published ones of a Kubernetes version; also in the emulator.')
    .addOption(versionOption('of which published images are listed'))
    .option('--os <name>', 'their base system', 'ubuntu-24.04')
    .addOption(regionOption())
    .addOption(outputOption())
    .action((options: ListImages) => listImages(connect, options));
  image
    .command('create')
    .argument('<name>', 'its name; the version is appended')
    .description('Make an image of your own, whose hosts have the kubelet of a version; prints its id for ami.id.')
    .addOption(versionOption('of its kubelet').makeOptionMandatory())
    .addOption(new Option('--arch <name>', 'its architecture').choices(['x86_64', 'arm64']).default('x86_64'))
    .addOption(regionOption())
    .action(async (given: string, { kubernetesVersion, arch, region }: CreateImage) => {
      const body = JSON.stringify({ name: `${given}-${kubernetesVersion}`, architecture: arch, region });
      const { id, name } = await (await connect()).json<{ id: string; name: string }>('POST', `${accountPath}/images`, {
        body,
      });
      console.log(id);
      console.error(`image ${name} created in ${region}`);
    });
  return image;
};

const keyPairCommand = (connect: Connect): Command => {
  const keyPair = new Command('key-pair').description('SSH key pairs, which sshKeyName names.').exitOverride();
  keyPair
    .command('list')
    .description('Key pairs of a region; also in the emulator.')
    .addOption(regionOption())
    .addOption(outputOption())
    .action(async ({ region, output }: { region: string; output?: string }) => {
      const { openCloud } = await import('./cloud-call.ts');
      const call = await openCloud(connect, region);
      const { KeyPairs } = await call<{ KeyPairs: { KeyName: string; KeyPairId: string }[] }>('DescribeKeyPairs', {});
      console.log(renderItems(KeyPairs, output, ['NAME', 'ID'], ({ KeyName, KeyPairId }) => [KeyName, KeyPairId]));
    });
  keyPair
    .command('create')
    .argument('<name>')
    .description('Make a key pair.')
    .addOption(regionOption())
    .action(async (name: string, { region }: { region: string }) => {
      await (await connect()).json('POST', `${accountPath}/key-pairs`, { body: JSON.stringify({ name, region }) });
      console.log(`key pair ${name} created in ${region}`);
    });
  return keyPair;
};

const profileCommand = (connect: Connect): Command => {
  const profile = new Command('profile').description('IAM instance profiles, of all regions.').exitOverride();
  profile
    .command('list')
    .description('Instance profiles of the account.')
    .addOption(outputOption())
    .action(async ({ output }: { output?: string }) => {
      const { items } = await (await connect()).json<{ items: { name: string }[] }>(
        'GET',
        `${accountPath}/instance-profiles`,
      );
      console.log(renderItems(items, output, ['NAME'], ({ name }) => [name]));
    });
  profile
    .command('create')
    .argument('<name>')
    .description('Make an instance profile.')
    .action(async (name: string) => {
      await (await connect()).json('POST', `${accountPath}/instance-profiles`, { body: JSON.stringify({ name }) });
      console.log(`instance profile ${name} created`);
    });
  return profile;
};

export const launchCommands = (connect: Connect): Command[] =>
  [imageCommand, keyPairCommand, profileCommand].map((of) => of(connect));
