/** An AWS endpoint in this process, for the query and JSON protocols: answers by action and records requests. */
import { createServer } from 'node:http';

interface Failure {
  code: string;
  message?: string;
  status?: number;
}

type Answer = string | Failure;

export interface FakeAws {
  /** Results by action or by method and path: a body or an error, for one region or for all. */
  answers: Record<string, Answer | ((region: string) => Answer)>;
  asked: Record<string, string>[];
  endpoint: string;
  close(): Promise<void>;
}

const inXml = (action: string, answer: Answer): string => {
  if (typeof answer === 'string')
    return `<${action}Response><${action}Result>${answer}</${action}Result></${action}Response>`;
  const { code, message = 'no' } = answer;
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
};

const inJson = (answer: Answer): string =>
  typeof answer === 'string' ? answer : JSON.stringify({ __type: answer.code, message: answer.message ?? 'no' });

export const openAws = async (): Promise<FakeAws> => {
  const fake: Pick<FakeAws, 'answers' | 'asked'> = { answers: {}, asked: [] };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const target = request.headers['x-amz-target'];
    const [, region = ''] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
    const named: Record<string, string> =
      request.url === '/' ? {} : { Action: `${request.method} ${request.url?.split('?')[0]}` };
    const given: Record<string, string> =
      typeof target === 'string'
        ? { ...(JSON.parse(body) as object), Action: target.split('.')[1]! }
        : { ...Object.fromEntries(new URLSearchParams(body)), ...named };
    fake.asked.push({ ...given, region });
    const action = given.Action ?? '';
    const found = fake.answers[action] ?? { code: 'InvalidAction', message: `no ${action} here` };
    const answer = typeof found === 'function' ? found(region) : found;
    response.writeHead(typeof answer === 'string' ? 200 : (answer.status ?? 400), {
      'content-type': target ? 'application/x-amz-json-1.1' : 'text/xml',
    });
    response.end(target || 'Action' in named ? inJson(answer) : inXml(action, answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return {
    ...fake,
    endpoint: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const identity = (arn = 'arn:aws:sts::111122223333:assumed-role/Admin/ann'): string =>
  `<Arn>${arn}</Arn><UserId>AROAEXAMPLE:ann</UserId><Account>111122223333</Account>`;

export interface StackShape {
  name?: string;
  status?: string;
  outputs?: Record<string, string>;
  isProtected?: boolean;
  /** Minutes since its creation. */
  age?: number;
}

export const stacks = (...all: StackShape[]): string => {
  const members = all.map(
    ({ name = 'Capstan-capstan', status = 'CREATE_COMPLETE', outputs = {}, isProtected = false, age = 60 }) => {
      const given = Object.entries(outputs).map(
        ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      const id = `<StackName>${name}</StackName><StackId>arn:${name}</StackId><StackStatus>${status}</StackStatus><CreationTime>${new Date(Date.now() - age * 60_000).toISOString()}</CreationTime>`;
      const guarded = `<EnableTerminationProtection>${isProtected}</EnableTerminationProtection>`;
      return `<member>${id}${guarded}<Outputs>${given.join('')}</Outputs></member>`;
    },
  );
  return `<Stacks>${members.join('')}</Stacks>`;
};

/** Newest first. */
export const events = (...all: { id: string; type?: string; status: string; reason?: string }[]): string => {
  const members = all.map(({ id, type = 'AWS::Lambda::Function', status, reason }, index) => {
    const physical = type === 'AWS::CloudFormation::Stack' ? 'arn:Capstan-capstan' : id;
    const why = reason === undefined ? '' : `<ResourceStatusReason>${reason}</ResourceStatusReason>`;
    return `<member><StackId>arn:Capstan-capstan</StackId><StackName>Capstan-capstan</StackName><EventId>${index} ${id} ${status}</EventId><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${physical}</PhysicalResourceId><ResourceType>${type}</ResourceType><ResourceStatus>${status}</ResourceStatus>${why}</member>`;
  });
  return `<StackEvents>${members.join('')}</StackEvents>`;
};
