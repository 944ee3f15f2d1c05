/** Translates CloudFormation's failure reasons into advice. */
import type { StackEvent } from '@aws-sdk/client-cloudformation';

const known: readonly { pattern: RegExp; advice: string }[] = [
  {
    pattern: /UnreservedConcurrentExecution|concurren(t|cy) executions?.*(below|limit)/i,
    advice:
      'The account has too little Lambda concurrency left: deploy without reservedConcurrency, or ask for a higher quota (Lambda, concurrent executions).',
  },
  {
    pattern: /already exists/i,
    advice:
      'Something of this name is there that this stack did not make: another installation of this name, or what is left of one. Remove it, or deploy with --context installation=<another name>.',
  },
  {
    pattern: /is not authorized to perform|AccessDenied|UnauthorizedOperation|not authorized/i,
    advice:
      "The role that the CDK deploys with may not do this: look at the policies of the CDK's execution role, and at those that deny it in your organisation.",
  },
  {
    pattern: /LimitExceeded|limit exceeded|maximum number|quota/i,
    advice: 'A quota of the account is reached: ask for a higher one, or remove what is not needed.',
  },
  {
    pattern: /Rate exceeded|Throttl/i,
    advice: 'AWS was asked too often: deploy again in a few minutes.',
  },
  {
    pattern: /KMS.*(disabled|pending|invalid state)|key .*(disabled|pending deletion)/i,
    advice: 'The key is disabled or about to be deleted: enable it, nothing is lost until then.',
  },
  {
    pattern: /Unrecognized resource types?|Unsupported resource type|does not support .*runtime|Invalid.*runtime/i,
    advice: 'This region has not everything that Capstan is made of: deploy to another.',
  },
  {
    pattern: /CloudWatch Logs role ARN must be set/i,
    advice:
      'API Gateway has no role to write logs with in this account and region: deploy with --context accountLogging=true, which makes one for all its APIs, or set one in its console (Settings) and deploy again.',
  },
];

/** Undefined if CloudFormation's message suffices. */
export const adviceOn = (reason: string): string | undefined =>
  known.find(({ pattern }) => pattern.test(reason))?.advice;

export const renderFailure = (event: StackEvent): string => {
  const { LogicalResourceId, ResourceType, ResourceStatusReason = 'no reason given' } = event;
  const advice = adviceOn(ResourceStatusReason);
  return `  ${LogicalResourceId} (${ResourceType}): ${ResourceStatusReason}${advice ? `\n    ${advice}` : ''}`;
};
