import { describe, expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const open = async (behaviour = {}) => {
  const world = openWorld({ behaviour });
  const LaunchTemplateId = await world.make.launchTemplate('workers');
  const versions = async (...Versions: string[]) => {
    const input = { LaunchTemplateId, ...(Versions.length > 0 && { Versions }) };
    const { LaunchTemplateVersions } = await world.call('DescribeLaunchTemplateVersions', input);
    return LaunchTemplateVersions.map(({ VersionNumber }) => VersionNumber);
  };
  const add = async (ClientToken: string, LaunchTemplateData = { InstanceType: 'm5.large' }) =>
    (await world.call('CreateLaunchTemplateVersion', { LaunchTemplateId, ClientToken, LaunchTemplateData }))
      .LaunchTemplateVersion.VersionNumber;
  const remove = async (...Versions: string[]) =>
    (await world.call('DeleteLaunchTemplateVersions', { LaunchTemplateId, Versions }))
      .UnsuccessfullyDeletedLaunchTemplateVersions;
  return { world, LaunchTemplateId, versions, add, remove };
};

describe('a launch template', () => {
  it('numbers its versions, and never gives a number twice', async () => {
    const { versions, add, remove } = await open();
    expect([await add('a'), await add('b'), await add('b')]).toEqual([2, 3, 3]);
    expect(await versions()).toEqual([3, 2, 1]);
    expect(await versions('$Latest', '$Default', '2')).toEqual([3, 2, 1]);
    expect(await remove('3')).toEqual([]);
    expect(await versions('$Latest')).toEqual([2]);
    expect(await add('c')).toBe(4);
  });

  it('keeps its default version', async () => {
    const { add, versions, remove } = await open();
    await add('a');
    expect(await remove('1', '9')).toMatchObject([
      { VersionNumber: 1, ResponseError: { Code: 'unexpectedError' } },
      { VersionNumber: 9, ResponseError: { Code: 'launchTemplateVersionDoesNotExist' } },
    ]);
    expect(await versions()).toEqual([2, 1]);
  });

  it('has at most as many versions as its quota', async () => {
    const { add } = await open({ quotas: { launchTemplateVersions: 2 } });
    await add('a');
    expect(await refusal(add('b'))).toBe('VersionLimitExceeded');
  });

  it('is refused under a name that is taken, and returned for the same token', async () => {
    const { world, LaunchTemplateId } = await open();
    const create = (ClientToken: string) =>
      world.call('CreateLaunchTemplate', {
        LaunchTemplateName: 'others',
        ClientToken,
        LaunchTemplateData: {},
        TagSpecifications: [],
      });
    const { LaunchTemplate } = await create('a');
    expect((await create('a')).LaunchTemplate).toEqual(LaunchTemplate);
    expect(LaunchTemplate.LaunchTemplateId).not.toBe(LaunchTemplateId);
    expect(await refusal(create('b'))).toBe('InvalidLaunchTemplateName.AlreadyExistsException');
  });

  it.each([
    {
      rule: 'a name that does not exist',
      input: { LaunchTemplateNames: ['none'] },
      code: 'InvalidLaunchTemplateName.NotFoundException',
    },
    {
      rule: 'an id that does not exist',
      input: { LaunchTemplateIds: ['lt-00000000000000000'] },
      code: 'InvalidLaunchTemplateId.NotFound',
    },
    { rule: 'a malformed id', input: { LaunchTemplateIds: ['lt-x'] }, code: 'InvalidLaunchTemplateId.Malformed' },
  ])('is refused by $rule', async ({ input, code }) => {
    const { world } = await open();
    expect(await refusal(world.call('DescribeLaunchTemplates', input))).toBe(code);
  });

  it('refuses user data that no instance may have', async () => {
    const { add } = await open();
    const data = (UserData: string) => ({ InstanceType: 'm5.large', UserData });
    expect(await refusal(add('a', data('%')))).toBe('InvalidUserData.Malformed');
    expect(await refusal(add('b', data(Buffer.alloc(16_385).toString('base64'))))).toBe('InvalidParameterValue');
  });

  it('is tagged like other resources of EC2, and gone after its deletion', async () => {
    const { world, LaunchTemplateId, versions } = await open();
    await world.call('CreateTags', { Resources: [LaunchTemplateId], Tags: [{ Key: 'team', Value: 'a' }] });
    const Filters = [{ Name: 'tag:team', Values: ['a'] }];
    expect((await world.call('DescribeLaunchTemplates', { Filters })).LaunchTemplates).toMatchObject([
      { LaunchTemplateName: 'workers', Tags: [{ Key: 'team', Value: 'a' }] },
    ]);
    await world.call('DeleteLaunchTemplate', { LaunchTemplateId });
    expect((await world.call('DescribeLaunchTemplates', {})).LaunchTemplates).toEqual([]);
    expect(await refusal(versions())).toBe('InvalidLaunchTemplateId.NotFound');
  });
});
