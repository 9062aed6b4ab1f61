@Deprecated
package rare.inside;
