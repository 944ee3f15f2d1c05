/** Checks before Machines of an existing cluster are replaced. */
import { describe, expect, it } from 'vitest';
import { judgeReplacement } from './index.ts';
import { type Given, inTemplate, quotaOf, refusal, replacementFactsOf } from './preflight.fixture.ts';

const controlPlane = 'KubeadmControlPlane default/demo-cp';
const workers = 'MachineDeployment default/workers';
const badImage = { workersTemplate: inTemplate({ ami: { id: 'ami-0123' } }) };
const images: Given['answers'] = { DescribeImages: () => refusal('InvalidAMIID.NotFound') };
const vcpus = (count: number): Given['answers'] => ({
  GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-1216C47A' ? count : 1000),
});

describe('machines that are replaced', () => {
  it.each<{ rule: string; owners: string[]; says?: string; verdict?: string } & Given>([
    { rule: 'pass when the account has what they need', owners: [controlPlane, workers] },
    {
      rule: 'need their image',
      owners: [workers],
      changed: badImage,
      answers: images,
      verdict: 'absent',
      says: 'AWSMachineTemplate default/workers spec.template.spec.ami.id: image ami-0123 does not exist in eu-west-1',
    },
    {
      rule: 'need their instance type',
      owners: [controlPlane],
      changed: { controlPlaneTemplate: inTemplate({ instanceType: 't3.lage' }) },
      verdict: 'refused',
      says: 'AWSMachineTemplate default/demo-cp spec.template.spec.instanceType: instance type t3.lage does not exist',
    },
    {
      rule: 'are not refused for machines that stay',
      owners: [controlPlane],
      changed: { workersTemplate: inTemplate({ instanceType: 't3.lage' }) },
    },
    {
      rule: 'are not refused for parts of the cluster that exist already',
      owners: [workers],
      answers: { GetServiceQuota: () => quotaOf(1000), DescribeVpcs: () => refusal('UnauthorizedOperation') },
    },
    { rule: 'may use the whole quota together with their surge', owners: [workers], answers: vcpus(12) },
    {
      rule: 'need vCPUs for their surge',
      owners: [workers],
      answers: vcpus(10),
      verdict: 'refused',
      says: 'vCPUs of running On-Demand Standard instances in eu-west-1: the quota is 10, and the cluster needs 12',
    },
    {
      rule: 'need no more vCPUs without a surge',
      owners: [workers],
      changed: { workers: { spec: { rollout: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } } } } },
      answers: vcpus(10),
    },
  ])('$rule', ({ owners, says = '', verdict = 'passed', ...given }) => {
    const judged = judgeReplacement(replacementFactsOf(given), owners);
    expect({ verdict: judged.verdict, message: judged.message.slice(0, says.length) }).toEqual({
      verdict,
      message: says,
    });
  });
});
