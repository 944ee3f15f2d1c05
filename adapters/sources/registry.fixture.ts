/** A registry of the OCI distribution API, with a repository of charts and files beside it, on 127.0.0.1. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issue } from '../pki/index.ts';
import { sha256Of } from './download.ts';

const chartType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const openRegistry = async () => {
  const algorithm = 'ECDSA-P256' as const;
  const now = Date.now();
  const ca = createAuthority({ subject: { commonName: 'ca' }, days: 1, algorithm, now });
  const subject = { commonName: 'registry' };
  const served = issue({ subject, sans: ['127.0.0.1'], usages: ['server'], ca, days: 1, algorithm, now });
  /** By `NAME/manifests/DIGEST-OR-TAG`, `NAME/blobs/DIGEST`, or the path of a file. */
  const contents = new Map<string, { body: Buffer; type: string }>();
  const asked: string[] = [];
  /** Statuses with which paths that contain a text are answered; 0: not at all. */
  const faults = new Map<string, number>();
  let base = '';
  let needsToken = true;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url!, base);
    asked.push(`${request.method} ${pathname}`);
    const fault = [...faults].find(([text]) => pathname.includes(text))?.[1];
    if (fault === 0) return undefined;
    if (fault !== undefined) return response.writeHead(fault).end();
    if (pathname === '/token')
      return response.end(JSON.stringify({ token: `${searchParams.get('service')} ${searchParams.get('scope')}` }));
    const [, , name = '', what = '', reference = ''] = /^\/(v2)\/(.*)\/(manifests|blobs)\/(.*)$/.exec(pathname) ?? [];
    if (pathname.startsWith('/v2/') && needsToken) {
      const scope = `repository:${name}:pull`;
      const challenge = `Bearer realm="${base}/token",service="registry",scope="${scope}"`;
      if (request.headers.authorization !== `Bearer registry ${scope}`)
        return response.writeHead(401, { 'WWW-Authenticate': challenge }).end();
    }
    if (request.method === 'POST')
      return response.writeHead(202, { Location: `/v2/${name}/blobs/uploads/1?name=${name}` }).end();
    if (request.method === 'PUT') {
      const body = await bodyOf(request);
      const digest = sha256Of(body);
      const type = request.headers['content-type'] ?? '';
      if (what === 'blobs') contents.set(`/v2/${name}/blobs/${digest}`, { body, type });
      else for (const one of [reference, digest]) contents.set(`/v2/${name}/manifests/${one}`, { body, type });
      return response.writeHead(201, { 'Docker-Content-Digest': digest, Location: pathname }).end();
    }
    const content = contents.get(pathname);
    if (!content) return response.writeHead(404).end();
    // Registries keep blobs elsewhere.
    if (what === 'blobs' && request.method === 'GET') {
      const elsewhere = `/storage/${reference}`;
      contents.set(elsewhere, content);
      return response.writeHead(307, { Location: elsewhere }).end();
    }
    if (pathname.startsWith('/storage/')) asked.push(`storage: ${request.headers.authorization !== undefined}`);
    const headers = { 'Content-Type': content.type, 'Docker-Content-Digest': sha256Of(content.body) };
    response.writeHead(200, { ...headers, 'Content-Length': content.body.length });
    return response.end(request.method === 'HEAD' ? undefined : content.body);
  };
  const server = createServer({ key: served.key, cert: served.certificate }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const put = (path: string, body: Buffer, type = 'application/octet-stream'): string => {
    contents.set(path, { body, type });
    return sha256Of(body);
  };
  return {
    base,
    host: base.slice('https://'.length),
    ca: ca.certificate,
    caBundle: Buffer.from(ca.certificate).toString('base64'),
    asked,
    faults,
    contents,
    put,
    /** Whether anonymous clients need a token. */
    setToken: (needs: boolean) => {
      needsToken = needs;
    },
    /** Publishes an archive as a chart, and returns the digest of its OCI manifest. */
    putChart: (name: string, version: string, archive: Buffer, mediaType = chartType): string => {
      const digest = put(`/v2/${name}/blobs/${sha256Of(archive)}`, archive);
      const manifest = {
        schemaVersion: 2,
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest, size: 2 },
        layers: [{ mediaType, digest, size: archive.length }],
        annotations: { 'org.opencontainers.image.version': version },
      };
      const body = Buffer.from(JSON.stringify(manifest));
      put(`/v2/${name}/manifests/${sha256Of(body)}`, body, manifestType);
      return sha256Of(body);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
export type Registry = Awaited<ReturnType<typeof openRegistry>>;
