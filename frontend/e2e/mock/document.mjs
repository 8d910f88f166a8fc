// What the controller's document (app/api/openapi.yaml) says of requests, answers and events.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const DOCUMENT = new URL('../../../app/api/openapi.yaml', import.meta.url);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A member that the document does not know is a fault, too. @param {any} schema @returns {any} */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  delete inner.discriminator?.mapping; // each of them says it itself
  const open = schema.type === 'object' && schema.properties && !('additionalProperties' in schema);
  return open ? { ...inner, additionalProperties: false } : inner;
}

export class Document {
  #whole = strict(parse(readFileSync(DOCUMENT, 'utf8')));
  #ajv = new Ajv2020({
    allErrors: true,
    discriminator: true,
    strict: false,
    formats: { 'date-time': INSTANT, int32: true, int64: true, double: true, binary: true, password: true },
    schemas: { document: this.#whole }
  });

  /** @param {string} route method and path @returns {any} */
  #operation(route) {
    const [method = '', path = ''] = route.split(' ');
    return this.#whole.paths[path]?.[method.toLowerCase()];
  }

  /** @param {string} route */
  has(route) {
    return this.#operation(route) !== undefined;
  }

  /** @param {unknown} value @param {string[]} place of its schema in the document @returns {string[]} */
  #faults(value, ...place) {
    const pointer = place.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    const check = this.#ajv.getSchema(`document#/${pointer.join('/')}`);
    if (!check) throw new Error(`${place.join(' ')} is not in the document`);
    if (check(value)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`
    );
  }

  /** What is wrong with the body of a request. @param {string} route @param {unknown} body */
  ofRequest(route, body) {
    const [method = '', path = ''] = route.split(' ');
    const { requestBody } = this.#operation(route);
    if (body === undefined && !requestBody?.required) return [];
    if (!requestBody) return ['there is no body'];
    const place = [
      'paths',
      path,
      method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema'
    ];
    return this.#faults(body, ...place);
  }

  /** What is wrong with an answer. @param {string} route @param {Response} response @returns {Promise<string[]>} */
  async ofAnswer(route, response) {
    const [method = '', path = ''] = route.split(' ');
    const { responses } = this.#operation(route);
    const status = response.status in responses ? `${response.status}` : 'default';
    if (status === 'default' && response.status < 400) return [`${response.status} is no answer to it`];
    const content = responses[status].content;
    if (!content) return (await response.text()) === '' ? [] : ['there is a body'];
    const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (!(type in content)) return '*/*' in content || 'application/octet-stream' in content ? [] : [type];
    if (!/json$/.test(type)) return [];
    const place = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema'];
    return this.#faults(await response.json(), ...place);
  }

  /** What is wrong with an event. @param {unknown} event */
  ofEvent(event) {
    return this.#faults(event, 'components', 'schemas', 'Event');
  }
}
