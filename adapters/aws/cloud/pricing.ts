/**
 * Calls of the Price List service. One action does not deserve a client of its own: the request is
 * signed here, and sent as EC2's are.
 */
import { Sha256 } from '@aws-crypto/sha256-js';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SignatureV4 } from '@smithy/signature-v4';
import type { CloudOutput } from '../../../kinds/ports/cloud.ts';
import { list, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';

type Output = CloudOutput<'GetProducts'>;
const products = record<Partial<Output>, Output>({ PriceList: list(text<string>), NextToken: textIfAny });

const targetOf = ({ endpoint, region }: ClientConfig): URL =>
  new URL(
    endpoint ??
      process.env.AWS_ENDPOINT_URL_PRICING ??
      process.env.AWS_ENDPOINT_URL ??
      `https://api.pricing.${region}.amazonaws.com`,
  );

const textOf = async (body: AsyncIterable<Uint8Array> | Uint8Array): Promise<string> => {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
};

/** In the SDK's form: the class of the error is its name. */
const refusalOf = (statusCode: number, answer: string): Error => {
  let body: { __type?: string; message?: string; Message?: string } = {};
  try {
    body = JSON.parse(answer) as typeof body;
  } catch {
    // A proxy answers with a page.
  }
  const error = new Error(body.message ?? body.Message ?? '');
  return Object.assign(error, {
    name: body.__type?.split('#').at(-1) ?? '',
    $metadata: { httpStatusCode: statusCode },
  });
};

export const operations = (config: ClientConfig): Operations<'pricing'> => {
  const { config: shared } = new EC2Client(config);
  const signer = new SignatureV4({
    credentials: shared.credentials,
    region: config.region,
    service: 'pricing',
    sha256: Sha256,
  });
  return {
    GetProducts: async (input) => {
      const body = JSON.stringify(input);
      const { protocol, host, hostname, port, pathname: path } = targetOf(config);
      const request = await signer.sign({
        method: 'POST',
        protocol,
        hostname,
        ...(port && { port: Number(port) }),
        path,
        query: {},
        headers: {
          host,
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AWSPriceListService.GetProducts',
          'user-agent': config.customUserAgent,
        },
        body,
      });
      const { response } = await shared.requestHandler.handle(request as never);
      const answer = await textOf(response.body as Uint8Array);
      if (response.statusCode !== 200) throw refusalOf(response.statusCode, answer);
      return products(JSON.parse(answer) as Partial<Output>);
    },
  };
};
